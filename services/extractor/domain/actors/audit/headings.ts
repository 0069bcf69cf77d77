/** Rules for headings, the outline that readers, screen readers and machines navigate by. */
import type { AuditedPage } from './audited-page.ts'
import { type Heading, tagOf } from './page-index.ts'
import { among, type Rule, when } from './rule.ts'
import { google, html, wcag } from './sources.ts'

const outline = html('headings and outlines', 'sections.html#headings-and-outlines-2')
const longest = 200
/** Above this number of words a text needs subheadings. */
const longText = 800

export const headingRules: readonly Rule[] = [
  {
    id: 'h1/missing',
    on: 'indexed',
    severity: 'warning',
    finds: 'No `<h1>` and no element with the role of a level 1 heading',
    reason: 'The main heading names the topic of the page, and search engines use it for result titles.',
    source: google('title links', 'appearance/title-link'),
    find: page =>
      when(
        !page.isShell && !page.isCut && mainHeadingsOf(page).length === 0,
        () => 'The page has no main heading. Use an h1 for its topic.',
      ),
  },
  {
    id: 'h1/multiple',
    severity: 'warning',
    finds: 'More than one visible `<h1>`',
    reason: 'With several main headings the topic of the page is unclear.',
    source: outline,
    find: page => {
      const found = mainHeadingsOf(page)
      return found.length < 2
        ? null
        : among(
            found,
            {
              many: 'The page has {n} main headings (h1).',
              remedy: 'Keep the one that names the topic, and use h2 for the others.',
            },
            shown,
          )
    },
  },
  {
    id: 'h1/empty',
    severity: 'warning',
    finds: 'An `<h1>` without text and without an image with alternative text',
    reason: 'Screen readers announce an empty heading.',
    source: wcag('2.4.6 Headings and Labels', 'headings-and-labels'),
    find: page =>
      among(
        mainHeadingsOf(page).filter(isEmpty),
        { many: 'The main heading is empty.', remedy: 'State the topic of the page in it.' },
        ({ entry }) => tagOf(entry),
      ),
  },
  {
    id: 'headings/empty',
    severity: 'warning',
    finds: 'An `<h2>` to `<h6>` without text and without an image with alternative text',
    reason: 'Screen readers announce an empty heading.',
    source: wcag('2.4.6 Headings and Labels', 'headings-and-labels'),
    find: ({ index }) =>
      among(
        index.headings.filter(heading => heading.level > 1 && isEmpty(heading)),
        {
          one: '1 heading is empty.',
          many: '{n} headings are empty.',
          remedy: 'Fill or remove empty headings.',
        },
        ({ entry }) => tagOf(entry),
      ),
  },
  {
    id: 'headings/skipped-level',
    severity: 'info',
    finds: 'A heading more than one level below the previous heading, such as h4 after h2',
    reason: 'Screen reader users who navigate by headings search for the skipped level.',
    source: wcag('1.3.1 Info and Relationships (technique H42)', 'info-and-relationships'),
    find: ({ index: { headings } }) =>
      among(
        headings.filter(({ level }, at) => at > 0 && level > (headings[at - 1]?.level ?? level) + 1),
        {
          one: 'A heading skips a level.',
          many: '{n} headings skip a level.',
          remedy: 'Use the next level instead.',
        },
        heading => {
          const before = headings[headings.indexOf(heading) - 1]
          return `h${before?.level} to h${heading.level}: ${heading.text}`
        },
      ),
  },
  {
    id: 'headings/too-long',
    severity: 'info',
    finds: `A heading of more than ${longest} characters`,
    reason: 'A heading of that length is a paragraph and does not help to navigate.',
    source: wcag('2.4.6 Headings and Labels', 'headings-and-labels'),
    find: ({ index: { headings } }) =>
      among(
        headings.filter(({ text }) => text.length > longest),
        {
          one: `1 heading is longer than ${longest} characters.`,
          many: `{n} headings are longer than ${longest} characters.`,
          remedy: 'Shorten long headings, or make them paragraphs.',
        },
        shown,
      ),
  },
  {
    id: 'headings/no-subheadings',
    on: 'indexed',
    severity: 'info',
    finds: `More than ${longText} words without a heading below h1`,
    reason:
      'Readers cannot skim the text or link into it, and answer engines quote sections by their headings.',
    source: wcag('2.4.10 Section Headings', 'section-headings'),
    find: ({ facts, index: { headings } }) =>
      when(
        facts.text.words > longText && !headings.some(({ level }) => level > 1),
        () => `The page has ${facts.text.words} words and no subheadings. Divide it by topic.`,
      ),
  },
]

const mainHeadingsOf = ({ index }: AuditedPage): Heading[] =>
  index.headings.filter(({ level }) => level === 1)

const isEmpty = ({ text, entry }: Heading): boolean => text === '' && !entry.isNamed

const shown = ({ text, entry }: Heading): string => text || tagOf(entry)
