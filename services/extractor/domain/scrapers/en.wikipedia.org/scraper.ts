/** Articles of the English Wikipedia, from the page that readers see. */
import type { Element } from 'domhandler'
import {
  articleIn,
  elementIn,
  elementsIn,
  every,
  isVisible,
  lineOf,
  linesOf,
  type Test,
  treeOf,
  withAttribute,
  withClass,
  withName,
} from '../elements.ts'
import { defineScraper } from '../scraper.ts'
import { sectionsOf } from './sections.ts'

export const scraper = defineScraper({
  domain: 'en.wikipedia.org',
  origin: 'https://en.wikipedia.org',
  routes: [{ path: 'wiki/{title...}', fetch: '/wiki/{title}' }],
  // MediaWiki forbids these characters in titles, and special pages are not articles.
  names: { title: /^(?![\s_:]*special[\s_]*:)[^#<>[\]{}|]{1,255}$/i },
  dataShape: {
    title: 'its title',
    summary: 'text before the first heading',
    infobox: 'list of {name, value}',
    sections: 'list of {level, title, text}; level 2 is the outermost',
    categories: 'list of texts',
    last_edited: 'time of the last change, UTC to the minute',
  },
  read({ text }) {
    const tree = treeOf(text)
    const title = lineOf(elementIn(tree, withAttribute('id', 'firstHeading')))
    const article = articleIn(tree)
    if (title === null || article === null) return null
    const { lead, sections } = sectionsOf(article)
    const edited = lineOf(elementIn(tree, withAttribute('id', 'footer-info-lastmod')))
    return [
      {
        title,
        summary: lead,
        infobox: pairsIn(elementIn(article, withClass('infobox'))),
        sections,
        categories: linesOf(
          elementsIn(elementIn(tree, withAttribute('id', 'mw-normal-catlinks')), withName('li')),
        ),
        last_edited: timeIn(edited),
      },
    ]
  },
})

const isMark: Test = withClass('reference')

function pairsIn(infobox: Element | null) {
  if (infobox === null) return null
  const shownWith = (name: string) => every(withName(name), isVisible)
  return elementsIn(infobox, shownWith('tr')).flatMap(row => {
    const [name, value] = ['th', 'td'].map(cell => lineOf(elementIn(row, shownWith(cell)), isMark))
    return name && value ? [{ name, value }] : []
  })
}

const months = 'January February March April May June July August September October November December'.split(
  ' ',
)

/** "This page was last edited on 2 January 2026, at 03:04 (UTC)." */
function timeIn(text: string | null): string | null {
  const [, day = '', name = '', year, time] =
    /(\d{1,2}) ([A-Z][a-z]+) (\d{4}), at (\d{2}:\d{2})/.exec(text ?? '') ?? []
  const month = months.indexOf(name) + 1
  return month === 0 ? null : `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}T${time}:00Z`
}
