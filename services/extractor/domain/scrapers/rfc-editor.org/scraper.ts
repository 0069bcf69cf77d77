/** Data about an RFC, from the RFC Editor's JSON document (`rfc9110.json`). */
import { parseJson, textAt, textsAt } from '../json.ts'
import { defineScraper } from '../scraper.ts'

export const scraper = defineScraper({
  domain: 'rfc-editor.org',
  origin: 'https://www.rfc-editor.org',
  routes: [
    { path: 'rfc/rfc{number}', fetch: '/rfc/rfc{number}.json' },
    { path: 'info/rfc{number}', fetch: '/rfc/rfc{number}.json' },
  ],
  names: { number: /^[1-9]\d{0,5}$/ },
  dataShape: {
    id: 'such as RFC9110',
    title: 'its title',
    authors: 'list of names',
    published: 'month and year',
    status: 'current status',
    published_status: 'status at publication',
    stream: 'stream, such as IETF',
    abstract: 'abstract',
    keywords: 'list of texts',
    pages: 'number of pages, as the site writes it',
    formats: 'list of texts',
    draft: 'name of the draft',
    obsoletes: 'list of RFCs',
    obsoleted_by: 'list of RFCs',
    updates: 'list of RFCs',
    updated_by: 'list of RFCs',
    see_also: 'list of series and their numbers',
    doi: 'identifier',
    errata_url: 'URL of the errata, if any',
  },
  read({ text }) {
    const found = parseJson(text)
    const [id, title] = [textAt(found, 'doc_id'), textAt(found, 'title')]
    if (id === null || title === null) return null
    return [
      {
        id,
        title,
        authors: textsAt(found, 'authors'),
        published: textAt(found, 'pub_date'),
        status: textAt(found, 'status'),
        published_status: textAt(found, 'pub_status'),
        stream: textAt(found, 'source'),
        abstract: textAt(found, 'abstract'),
        keywords: textsAt(found, 'keywords'),
        pages: textAt(found, 'page_count'),
        formats: textsAt(found, 'format'),
        draft: textAt(found, 'draft'),
        obsoletes: textsAt(found, 'obsoletes'),
        obsoleted_by: textsAt(found, 'obsoleted_by'),
        updates: textsAt(found, 'updates'),
        updated_by: textsAt(found, 'updated_by'),
        see_also: textsAt(found, 'see_also'),
        doi: textAt(found, 'doi'),
        errata_url: textAt(found, 'errata_url'),
      },
    ]
  },
})
