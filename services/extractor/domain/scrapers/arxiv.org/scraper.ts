/** Papers of arXiv, from the abstract page with its machine-readable `citation_` fields. */
import {
  attributeOf,
  elementIn,
  elementsIn,
  every,
  lineOf,
  treeOf,
  withAttribute,
  withClass,
  withName,
} from '../elements.ts'
import { defineScraper } from '../scraper.ts'

export const scraper = defineScraper({
  domain: 'arxiv.org',
  origin: 'https://arxiv.org',
  routes: [
    { path: 'abs/{id}', fetch: '/abs/{id}' },
    { path: 'abs/{archive}/{number}', fetch: '/abs/{archive}/{number}' },
  ],
  names: {
    id: /^\d{4}\.\d{4,5}(?:v\d{1,3})?$/,
    archive: /^[a-z]{1,10}(?:-[a-z]{1,6})?(?:\.[A-Z]{2})?$/,
    number: /^\d{7}(?:v\d{1,3})?$/,
  },
  dataShape: {
    id: 'identifier',
    title: 'its title',
    authors: 'list of names, as the site writes them',
    abstract: 'topic',
    subjects: 'list of subjects, the primary one first',
    comments: 'remarks of the authors',
    journal: 'journal and volume of publication',
    doi: 'identifier',
    submitted: 'day of the first version',
    updated: 'day of the version shown',
    pdf_url: 'address',
  },
  read({ text }) {
    const tree = treeOf(text)
    const metas = elementsIn(tree, every(withName('meta'), withAttribute('name')))
    const all = (name: string) =>
      metas.filter(withAttribute('name', name)).flatMap(meta => attributeOf(meta, 'content') ?? [])
    const of = (name: string) => all(name)[0] ?? null
    const cell = (word: string) => lineOf(elementIn(tree, every(withName('td'), withClass(word))))
    const [id, title] = [of('citation_arxiv_id'), of('citation_title')]
    if (id === null || title === null) return null
    return [
      {
        id,
        title,
        authors: all('citation_author'),
        abstract: of('citation_abstract'),
        subjects: cell('subjects')?.split(/\s*;\s*/) ?? null,
        comments: cell('comments'),
        journal: cell('jref'),
        doi: of('citation_doi'),
        submitted: dayOf(of('citation_date')),
        updated: dayOf(of('citation_online_date')),
        pdf_url: of('citation_pdf_url'),
      },
    ]
  },
})

const dayOf = (date: string | null): string | null =>
  date !== null && /^\d{4}\/\d{2}\/\d{2}$/.test(date) ? date.replaceAll('/', '-') : null
