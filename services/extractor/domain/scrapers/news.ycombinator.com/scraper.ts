/** The lists of Hacker News: each item is a table row, followed by a row with its points, author and age. */
import type { Element } from 'domhandler'
import {
  addressOf,
  attributeOf,
  elementIn,
  elementsIn,
  every,
  integerIn,
  lineOf,
  treeOf,
  withAttribute,
  withClass,
  withName,
} from '../elements.ts'
import { defineScraper, type Param } from '../scraper.ts'

const origin = 'https://news.ycombinator.com'
const p: Param = {
  type: 'integer',
  minimum: 1,
  maximum: 30,
  as: 'p',
  description: 'page of the list, from 1',
}

export const scraper = defineScraper({
  domain: 'news.ycombinator.com',
  origin,
  first: 'news',
  routes: ['news', 'ask', 'show'].map(path => ({ path, fetch: `/${path}`, params: { p } })),
  names: {},
  dataShape: {
    rank: 'position in the list, from 1',
    id: 'number of the item',
    title: 'its title',
    url: 'target of the link',
    site: 'the linked site',
    points: 'votes; null for a job advertisement',
    author: 'name of the submitter',
    sent_at: 'time of submission, UTC',
    comments: 'number of comments; null if comments are disabled',
    comments_url: 'URL of the discussion',
  },
  read({ text, url }) {
    const rows = elementsIn(treeOf(text), every(withName('tr'), withClass('athing')))
    const items = rows.flatMap(row => itemOf(row, url))
    return items.length > 0 ? items : null
  },
})

function itemOf(row: Element, base: string) {
  const line = elementIn(row, withClass('titleline'))
  const link = elementIn(line, withName('a'))
  const [id, title] = [integerIn(attributeOf(row, 'id')), lineOf(link)]
  if (id === null || title === null) return []
  const below = rowAfter(row)
  const last = elementsIn(elementIn(below, withClass('subline')) ?? below, withName('a')).at(-1) ?? null
  return [
    {
      rank: integerIn(lineOf(elementIn(row, withClass('rank')))),
      id,
      title,
      url: addressOf(link, base),
      site: lineOf(elementIn(line, withClass('sitestr'))),
      points: integerIn(lineOf(elementIn(below, withClass('score')))),
      author: lineOf(elementIn(below, withClass('hnuser'))),
      sent_at: timeOf(
        attributeOf(elementIn(below, every(withClass('age'), withAttribute('title'))), 'title'),
      ),
      comments: commentCountIn(lineOf(last)),
      comments_url: `${origin}/item?id=${id}`,
    },
  ]
}

function rowAfter({ next }: Element): Element | null {
  let node = next
  while (node !== null && node.type !== 'tag') node = node.next
  return node !== null && node.name === 'tr' ? node : null
}

/** Returns the number of comments. The link reads "discuss" without comments. The first item has no such link. */
function commentCountIn(text: string | null): number | null {
  if (text === 'discuss') return 0
  return text !== null && /^\d+\s+comments?$/u.test(text) ? integerIn(text) : null
}

/** Returns the time. The site appends seconds since 1970. */
const timeOf = (title: string | null): string | null => {
  const [time] = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/.exec(title ?? '') ?? []
  return time === undefined ? null : `${time}Z`
}
