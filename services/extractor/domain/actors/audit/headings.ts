/** Rules of headings: the outline by which people, readers of screens and machines find their way. */
import type { AuditedPage } from './audited-page.ts'
import type { Heading } from './page-index.ts'
import { among, type Rule, when } from './rule.ts'
import { google, html, wcag } from './sources.ts'

const outline = html('headings and outlines', 'sections.html#headings-and-outlines-2')
const longest = 200
/** Words from which on a text without subheadings is hard to find one's way in. */
const longText = 800

export const headingRules: readonly Rule[] = [
  {
    id: 'h1/missing',
    on: 'indexed',
    severity: 'warning',
    finds: 'No `<h1>` (and no element with the role of a heading of level 1)',
    reason: 'The main heading tells what the page is about; titles of results are made of it too.',
    source: google('title links', 'appearance/title-link'),
    find: page =>
      when(
        !page.isShell && !page.isCut && first(page).length === 0,
        () => 'The page has no main heading. Make the one that names its content an h1.',
      ),
  },
  {
    id: 'h1/multiple',
    on: 'pages',
    severity: 'warning',
    finds: 'More than one `<h1>` that is shown',
    reason: 'With several main headings none of them says what the whole page is about.',
    source: outline,
    find: page => {
      const found = first(page)
      return found.length < 2
        ? null
        : among(
            found,
            n =>
              `The page has ${n} main headings (h1). Keep the one that names the page, make the others h2.`,
            shown,
          )
    },
  },
  {
    id: 'h1/empty',
    on: 'pages',
    severity: 'warning',
    finds: 'An `<h1>` without text and without an image that has alternative text',
    reason: 'It is announced, and says nothing.',
    source: wcag('2.4.6 Headings and Labels', 'headings-and-labels'),
    find: page =>
      among(
        first(page).filter(isEmpty),
        () => 'The main heading is empty. Put the name of the page into it.',
        ({ entry }) => tagOf(entry.element),
      ),
  },
  {
    id: 'headings/empty',
    on: 'pages',
    severity: 'warning',
    finds: 'An `<h2>` to `<h6>` without text and without an image that has alternative text',
    reason: 'It is announced, and says nothing.',
    source: wcag('2.4.6 Headings and Labels', 'headings-and-labels'),
    find: ({ index }) =>
      among(
        index.headings.filter(heading => heading.level > 1 && isEmpty(heading)),
        n => `${n} of the headings ${n === 1 ? 'is' : 'are'} empty. Fill or remove them.`,
        ({ entry }) => tagOf(entry.element),
      ),
  },
  {
    id: 'headings/skipped-level',
    on: 'pages',
    severity: 'info',
    finds: 'A heading more than one level below the one before it, such as h4 after h2',
    reason: 'Who moves by headings looks for the level that is left out.',
    source: wcag('1.3.1 Info and Relationships (technique H42)', 'info-and-relationships'),
    find: ({ index: { headings } }) =>
      among(
        headings.filter(({ level }, at) => at > 0 && level > (headings[at - 1]?.level ?? level) + 1),
        n =>
          `${n === 1 ? 'Once' : `${n} times`} a level is left out on the way down. Use the next level instead.`,
        heading => {
          const before = headings[headings.indexOf(heading) - 1]
          return `h${before?.level} to h${heading.level}: ${heading.text}`
        },
      ),
  },
  {
    id: 'headings/too-long',
    on: 'pages',
    severity: 'info',
    finds: `A heading of more than ${longest} characters`,
    reason: 'A heading of that length is a paragraph, and no longer helps to find something.',
    source: wcag('2.4.6 Headings and Labels', 'headings-and-labels'),
    find: ({ index: { headings } }) =>
      among(
        headings.filter(({ text }) => text.length > longest),
        n =>
          `${n} of the headings ${n === 1 ? 'is' : 'are'} longer than ${longest} characters. Shorten them, or make them paragraphs.`,
        shown,
      ),
  },
  {
    id: 'headings/no-subheadings',
    on: 'indexed',
    severity: 'info',
    finds: `More than ${longText} words, and no heading below h1`,
    reason: 'Nobody can look over the text or link into it, and answers are quoted by their headings.',
    source: wcag('2.4.10 Section Headings', 'section-headings'),
    find: ({ facts, index: { headings } }) =>
      when(
        facts.text.words > longText && !headings.some(({ level }) => level > 1),
        () => `The page has ${facts.text.words} words and no subheadings. Part it by what it is about.`,
      ),
  },
]

const first = ({ index }: AuditedPage): Heading[] => index.headings.filter(({ level }) => level === 1)

const isEmpty = ({ text, entry }: Heading): boolean => text === '' && !entry.isNamed

const shown = ({ text, entry }: Heading): string => text || tagOf(entry.element)

/** An element as it begins, with what it is known by. */
export function tagOf({ name, attribs }: Heading['entry']['element']): string {
  const told = ['id', 'class', 'name', 'type', 'href', 'src']
    .flatMap(attribute => {
      const value = attribs[attribute]
      return value ? [`${attribute}="${value.slice(0, 60)}"`] : []
    })
    .slice(0, 2)
  return `<${[name, ...told].join(' ')}>`
}
