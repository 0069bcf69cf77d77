/** Rules of the text: whether there is one, and whether it can be read. */
import { countWords } from '@tidemark/html/words'
import type { AuditedPage } from './audited-page.ts'
import { langOf } from './language.ts'
import { primaryOf } from './language-codes.ts'
import { fleschOf } from './readability.ts'
import { among, counted, type Found, type Rule, when } from './rule.ts'
import { google, w3c, wcag } from './sources.ts'

const helpful = google('creating helpful, reliable content', 'fundamentals/creating-helpful-content')
const fewestWords = 200
const longParagraph = 200
/** Of English prose. */
const fewestForReading = 300
const hardest = 20
const mostSame = 5

export const contentRules: readonly Rule[] = [
  {
    id: 'content/thin',
    on: 'indexed',
    severity: 'warning',
    finds: `Fewer than ${fewestWords} words, on a page that needs no script to show its text`,
    reason: 'There is little that could answer a question; much of it is often menus.',
    source: helpful,
    find: page =>
      page.isShell || page.isCut || page.index.of('frameset').length > 0 ? null : thinness(page),
  },
  {
    id: 'content/script-shell',
    on: 'indexed',
    severity: 'warning',
    finds: 'A page that shows next to nothing before its scripts have run',
    reason: 'Crawlers that run no scripts, those of most AI services among them, see an empty page.',
    source: google('JavaScript SEO basics', 'crawling-indexing/javascript/javascript-seo-basics'),
    find: page =>
      when(
        page.isShell,
        () =>
          'Without scripts the page is empty. Render it on the server. (POST /v1/actors/render-diff tells what scripts add.)',
      ),
  },
  {
    id: 'content/placeholder',
    on: 'pages',
    severity: 'warning',
    finds: 'The words "lorem ipsum dolor sit amet, consectetur", but not in code',
    reason: 'It is the text of designers for a text that is to come.',
    source: helpful,
    find: page => {
      const at = placeholderIn(page)
      return at === -1
        ? null
        : {
            message: 'The page holds placeholder text. Put the text in its place.',
            samples: [page.index.line.slice(at, at + 100)],
          }
    },
  },
  {
    id: 'content/hard-to-read',
    on: 'indexed',
    severity: 'info',
    finds: `English prose of at least ${fewestForReading} words in paragraphs with a Flesch reading ease below ${hardest}`,
    reason: 'Below 30 a text is for those who have studied its subject.',
    source: wcag('3.1.5 Reading Level', 'reading-level'),
    find: page => {
      if (primaryOf(langOf(page)) !== 'en') return null
      const prose = paragraphsOf(page).filter(text => /[.!?]/.test(text))
      const { ease, words } = fleschOf(prose)
      return when(
        words >= fewestForReading && ease < hardest,
        () =>
          `The text has a Flesch reading ease of ${Math.round(ease)} (100 is very easy). Use shorter sentences and more usual words.`,
      )
    },
  },
  {
    id: 'content/long-paragraphs',
    on: 'indexed',
    severity: 'info',
    finds: `A paragraph of more than ${longParagraph} words`,
    reason: 'On a telephone it is more than a screen without a place to rest the eye.',
    source: w3c('Making Content Usable, use short blocks of text', 'TR/coga-usable/'),
    find: page =>
      among(
        paragraphsOf(page).filter(text => countWords(text) > longParagraph),
        n =>
          `${n === 1 ? 'A paragraph has' : `${n} paragraphs have`} more than ${longParagraph} words. Part them.`,
        text => text,
      ),
  },
  {
    id: 'content/repeated-paragraph',
    on: 'indexed',
    severity: 'info',
    finds: `A paragraph of at least 20 words that stands in the page ${mostSame} times or more`,
    reason: 'It says nothing new the second time, and hides what differs.',
    source: helpful,
    find: page => {
      const long = paragraphsOf(page).filter(text => countWords(text) >= 20)
      const same = [...Map.groupBy(long, text => text)].filter(([, all]) => all.length >= mostSame)
      return among(
        same,
        n =>
          `${n === 1 ? 'A paragraph is' : `${n} paragraphs are`} repeated ${mostSame} times or more. Say it once.`,
        ([text, all]) => `${all.length} times: ${text}`,
      )
    },
  },
]

const placeholder = /lorem\s+ipsum\s+dolor\s+sit\s+amet,?\s+consectetu?r/gi

/** Where it stands in the line of all text; -1 where it does not, or only as an example of code. */
function placeholderIn({ index }: AuditedPage): number {
  const places = [...index.line.matchAll(placeholder)].map(found => found.index)
  const code = places.length === 0 ? [] : index.of('pre', 'code', 'samp', 'kbd')
  return places.find(at => !code.some(({ start, end }) => start <= at && at < end)) ?? -1
}

function thinness({ facts: { text } }: AuditedPage): Found | null {
  return when(
    text.words < fewestWords,
    () =>
      `The page shows ${counted(text.words, 'word')}, menus included. See whether it answers in full what people come for; a short answer may be enough.`,
  )
}

/** Characters of one paragraph, and of all together: nobody reads more in one, and elements may stand in each other. */
const longestText = 5000
const mostText = 2 * 1024 ** 2

function paragraphsOf({ index }: AuditedPage): string[] {
  const texts: string[] = []
  let left = mostText
  for (const entry of index.of('p')) {
    if (entry.end - entry.start < 2) continue
    texts.push(index.text(entry, longestText))
    left -= Math.min(entry.end - entry.start, longestText)
    if (left < 0) break
  }
  return texts
}
