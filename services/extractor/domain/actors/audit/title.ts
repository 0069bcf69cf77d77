/** Rules for the title, which results, tabs and bookmarks show. */
import { rawTextOf } from '@tidemark/html/tree/raw-text'
import type { AuditedPage } from './audited-page.ts'
import type { Entry } from './page-index.ts'
import { among, type Rule, when } from './rule.ts'
import { google, html } from './sources.ts'
import { widthFault } from './text-width.ts'

const titleLinks = google('title links', 'appearance/title-link')

const limits = { min: 200, max: 561, fontSize: 20 }

const placeholders = new Set(
  (
    'untitled|untitled document|document|new page|page title|title|default title|your title here|insert title here|' +
    'react app|vite app'
  ).split('|'),
)

export const titleRules: readonly Rule[] = [
  {
    id: 'title/missing',
    severity: 'error',
    finds: 'No `<title>`, or an empty one',
    reason: 'Results, browser tabs and screen readers use it as the name of the page.',
    source: html('the title element', 'semantics.html#the-title-element'),
    find: page => when(page.facts.title === null, () => absent(page)),
  },
  {
    id: 'title/length',
    on: 'indexed',
    severity: 'info',
    finds: `A title wider than ${limits.max} or narrower than ${limits.min} pixels (estimated) in a desktop result`,
    reason: 'Results truncate wide titles, and very short ones say little about the page.',
    source: titleLinks,
    find: ({ facts: { title } }) =>
      title === null
        ? null
        : widthFault('The title', title, limits, 'Begin with the most important words, or shorten it.'),
  },
  {
    id: 'title/multiple',
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
    severity: 'warning',
    finds: 'A default title of an editor or template, such as "Untitled document"',
    reason: 'It does not describe the page.',
    source: titleLinks,
    find: ({ facts: { title } }) =>
      when(
        title !== null && placeholders.has(title.toLowerCase()),
        () => `The title is the placeholder "${title}". Replace it with the topic of the page.`,
      ),
  },
]

/** Titles of drawings are not in the index. */
const titlesOf = ({ index }: AuditedPage): Entry[] => index.of('title')

const textOf = ({ element }: Entry): string => rawTextOf(element).trim() || '(empty)'

const absent = (page: AuditedPage): string =>
  titlesOf(page).length > 0
    ? 'The title is empty. Describe the topic of the page.'
    : 'The page has no title. Add one to the head that describes its topic.'
