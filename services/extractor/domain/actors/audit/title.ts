/** Rules of the title: what results, tabs and bookmarks show of a page. */
import { attribute } from '@tidemark/html/tree/attribute'
import { rawTextOf } from '@tidemark/html/tree/text-of'
import type { AuditedPage } from './audited-page.ts'
import type { Entry } from './page-index.ts'
import { among, type Found, type Rule } from './rule.ts'
import { google, html } from './sources.ts'
import { widthOf } from './text-width.ts'

const links = google('title links', 'appearance/title-link')

/** Pixels in a desktop result, in which titles are 20 pixels high: the limits that common SEO crawlers have measured. */
const widest = 561
const narrowest = 200
const size = 20

const placeholders = new Set(
  ['untitled', 'untitled document', 'document', 'new page', 'page title', 'title', 'default title'].concat([
    'your title here',
    'insert title here',
    'react app',
    'vite app',
  ]),
)

export const titleRules: readonly Rule[] = [
  {
    id: 'title/missing',
    on: 'pages',
    severity: 'error',
    finds: 'No `<title>`, or an empty one',
    reason: 'Results, browser tabs and screen readers name a page by it.',
    source: html('the title element', 'semantics.html#the-title-element'),
    find: page => (page.facts.title !== null ? null : { message: absent(page) }),
  },
  {
    id: 'title/length',
    on: 'indexed',
    severity: 'info',
    finds: `A title that is estimated wider than ${widest} or narrower than ${narrowest} pixels in a desktop result`,
    reason: 'What is too wide is cut in results; what is very short says little of the page.',
    source: links,
    find: ({ facts: { title } }) => (title === null ? null : lengthOf(title)),
  },
  {
    id: 'title/multiple',
    on: 'pages',
    severity: 'warning',
    finds: 'More than one `<title>`',
    reason: 'A page has one title; which of several is used is up to whoever reads it.',
    source: html('the title element', 'semantics.html#the-title-element'),
    find: page => {
      const titles = titlesOf(page)
      if (titles.length < 2) return null
      return among(titles, n => `The page has ${n} title elements. Keep one, in the head.`, textOf)
    },
  },
  {
    id: 'title/outside-head',
    on: 'pages',
    severity: 'warning',
    finds: 'The only `<title>` stands after the content has begun',
    reason: 'A title belongs into the head; elsewhere it may be ignored.',
    source: html('the title element', 'semantics.html#the-title-element'),
    find: page => {
      const titles = titlesOf(page)
      if (titles.length === 0 || titles.some(({ isInHead }) => isInHead)) return null
      return among(titles, () => 'The title stands in the body. Move it into the head.', textOf)
    },
  },
  {
    id: 'title/placeholder',
    on: 'pages',
    severity: 'warning',
    finds: 'A title that editors and templates put in, such as "Untitled document"',
    reason: 'It says nothing of this page.',
    source: links,
    find: ({ facts: { title } }) =>
      title !== null && placeholders.has(title.toLowerCase())
        ? { message: `The title is the placeholder "${title}". Say in it what the page is about.` }
        : null,
  },
]

const titlesOf = ({ index }: AuditedPage): Entry[] =>
  index.of('title').filter(({ element }) => !isInDrawing(element))

const isInDrawing = ({ parent }: Entry['element']): boolean =>
  parent !== null && 'name' in parent && parent.name === 'svg'

const textOf = ({ element }: Entry): string => rawTextOf(element).trim() || '(empty)'

const absent = (page: AuditedPage): string =>
  titlesOf(page).length > 0
    ? 'The title is empty. Say in it what the page is about.'
    : 'The page has no title. Give it one in the head that says what the page is about.'

function lengthOf(title: string): Found | null {
  const width = widthOf(title, size)
  const about = `The title has ${title.length} characters, about ${width} pixels`
  if (width > widest)
    return {
      message: `${about}: results show about ${widest}. Put what matters first, or shorten it.`,
      samples: [title],
    }
  if (width < narrowest)
    return {
      message: `${about}. There is room to say more of the page (up to ${widest} pixels).`,
      samples: [title],
    }
  return null
}

export const contentOf = ({ element }: Entry): string => attribute(element, 'content')?.trim() ?? ''
