/** Rules for the title, which results, tabs and bookmarks show. */
import { rawTextOf } from '@tidemark/html/tree/raw-text'
import type { AuditedPage } from './audited-page.ts'
import type { Entry } from './page-index.ts'
import { among, type Found, type Rule } from './rule.ts'
import { google, html } from './sources.ts'
import { widthOf } from './text-width.ts'

const links = google('title links', 'appearance/title-link')

/** Widths in pixels of a desktop result with a font size of 20 pixels: the limits that common SEO crawlers measured. */
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
    reason: 'Results, browser tabs and screen readers use it as the name of the page.',
    source: html('the title element', 'semantics.html#the-title-element'),
    find: page => (page.facts.title !== null ? null : { message: absent(page) }),
  },
  {
    id: 'title/length',
    on: 'indexed',
    severity: 'info',
    finds: `A title wider than ${widest} or narrower than ${narrowest} pixels (estimated) in a desktop result`,
    reason: 'Results truncate wide titles, and very short ones say little about the page.',
    source: links,
    find: ({ facts: { title } }) => (title === null ? null : lengthOf(title)),
  },
  {
    id: 'title/multiple',
    on: 'pages',
    severity: 'warning',
    finds: 'More than one `<title>`',
    reason: 'A page has one title. Programs differ in which of several they use.',
    source: html('the title element', 'semantics.html#the-title-element'),
    find: page => {
      const titles = titlesOf(page)
      if (titles.length < 2) return null
      return among(
        titles,
        { many: 'The page has {n} title elements.', remedy: 'Keep one, in the head.' },
        textOf,
      )
    },
  },
  {
    id: 'title/outside-head',
    on: 'pages',
    severity: 'warning',
    finds: 'The only `<title>` is in the body',
    reason: 'Programs may ignore a title outside of the head.',
    source: html('the title element', 'semantics.html#the-title-element'),
    find: page => {
      const titles = titlesOf(page)
      if (titles.length === 0 || titles.some(({ isInHead }) => isInHead)) return null
      return among(titles, { many: 'The title is in the body.', remedy: 'Move it to the head.' }, textOf)
    },
  },
  {
    id: 'title/placeholder',
    on: 'pages',
    severity: 'warning',
    finds: 'A default title of an editor or template, such as "Untitled document"',
    reason: 'It does not describe the page.',
    source: links,
    find: ({ facts: { title } }) =>
      title !== null && placeholders.has(title.toLowerCase())
        ? { message: `The title is the placeholder "${title}". Replace it with the topic of the page.` }
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
    ? 'The title is empty. Describe the topic of the page.'
    : 'The page has no title. Add one to the head that describes its topic.'

function lengthOf(title: string): Found | null {
  const width = widthOf(title, size)
  const about = `The title has ${title.length} characters, about ${width} pixels`
  if (width > widest)
    return {
      message: `${about}: results show about ${widest}. Begin with the most important words, or shorten it.`,
      samples: [title],
    }
  if (width < narrowest)
    return {
      message: `${about}. Up to ${widest} pixels are available: add more detail.`,
      samples: [title],
    }
  return null
}
