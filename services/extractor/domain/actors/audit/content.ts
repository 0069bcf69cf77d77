/** Rules for the text: its length and readability. */
import { countWords } from '@tidemark/html/words'
import type { AuditedPage } from './audited-page.ts'
import { langOf } from './language.ts'
import { primaryOf } from './language-codes.ts'
import { among, type Found, type Message, type Rule, when, withSample, worded } from './rule.ts'
import { google, w3c, wcag } from './sources.ts'

const helpful = google('creating helpful, reliable content', 'fundamentals/creating-helpful-content')
const minWords = 200
const longParagraph = 200
/** Words of English prose, and the Flesch reading ease below which it is reported. */
const minForReading = 300
const minEase = 20
const minRepeats = 5

export const contentRules: readonly Rule[] = [
  {
    id: 'content/thin',
    on: 'indexed',
    severity: 'warning',
    finds: `Fewer than ${minWords} words on a page that shows its text without scripts`,
    reason: 'A short text rarely answers a question, and much of it is often menus.',
    source: helpful,
    find: page =>
      page.isShell || page.isCut || page.index.of('frameset').length > 0 ? null : thinness(page),
  },
  {
    id: 'content/script-shell',
    on: 'indexed',
    severity: 'warning',
    finds: 'A page that shows almost no text before its scripts have run',
    reason: 'Crawlers without JavaScript, among them those of most AI services, see an empty page.',
    source: google('JavaScript SEO basics', 'crawling-indexing/javascript/javascript-seo-basics'),
    find: page =>
      when(
        page.isShell,
        () =>
          'Without JavaScript the page is empty. Render it on the server. POST /v1/actors/render-diff shows what scripts add.',
      ),
  },
  {
    id: 'content/placeholder',
    severity: 'warning',
    finds: 'The words "lorem ipsum dolor sit amet, consectetur" outside of code',
    reason: 'This is placeholder text.',
    source: helpful,
    find: page => {
      const at = placeholderIn(page)
      const sample = at === -1 ? null : page.index.visibleText.slice(at, at + 100)
      return withSample('The page contains placeholder text. Replace it.', sample)
    },
  },
  {
    id: 'content/hard-to-read',
    on: 'indexed',
    severity: 'info',
    finds: `English prose of at least ${minForReading} words in paragraphs with a Flesch reading ease below ${minEase}`,
    reason: 'Texts below 30 are hard to read without a university degree.',
    source: wcag('3.1.5 Reading Level', 'reading-level'),
    find: page => {
      if (primaryOf(langOf(page)) !== 'en') return null
      const prose = paragraphsOf(page).filter(text => /[.!?]/.test(text))
      const { ease, words } = fleschOf(prose)
      return when(
        words >= minForReading && ease < minEase,
        () =>
          `The text has a Flesch reading ease of ${Math.round(ease)} (100 is very easy). Use shorter sentences and simpler words.`,
      )
    },
  },
  {
    id: 'content/long-paragraphs',
    on: 'indexed',
    severity: 'info',
    finds: `A paragraph of more than ${longParagraph} words`,
    reason: 'On a phone such a paragraph fills more than a screen.',
    source: w3c('Making Content Usable, use short blocks of text', 'TR/coga-usable/'),
    find: page =>
      among(
        paragraphsOf(page).filter(text => countWords(text) > longParagraph),
        {
          one: `A paragraph has more than ${longParagraph} words.`,
          many: `{n} paragraphs have more than ${longParagraph} words.`,
          remedy: 'Split long paragraphs.',
        },
      ),
  },
  {
    id: 'content/repeated-paragraph',
    on: 'indexed',
    severity: 'info',
    finds: `A paragraph of at least 20 words that occurs ${minRepeats} times or more`,
    reason: 'Repeated text adds nothing and hides the differences.',
    source: helpful,
    find: page => {
      const long = paragraphsOf(page).filter(text => countWords(text) >= 20)
      const same = [...Map.groupBy(long, text => text)].filter(([, all]) => all.length >= minRepeats)
      return among(
        same,
        {
          one: `A paragraph occurs ${minRepeats} times or more.`,
          many: `{n} paragraphs occur ${minRepeats} times or more.`,
          remedy: 'Keep one copy of each.',
        },
        ([text, all]) => `${all.length} times: ${text}`,
      )
    },
  },
]

const placeholder = /lorem\s+ipsum\s+dolor\s+sit\s+amet,?\s+consectetu?r/gi

/** Returns the position of placeholder text outside of code in the page's text, or -1. */
function placeholderIn({ index }: AuditedPage): number {
  const positions = [...index.visibleText.matchAll(placeholder)].map(found => found.index)
  const code = positions.length === 0 ? [] : index.of('pre', 'code', 'samp', 'kbd')
  return positions.find(at => !code.some(({ start, end }) => start <= at && at < end)) ?? -1
}

const fewWords: Message = {
  one: 'The page has 1 word, including menus.',
  many: 'The page has {n} words, including menus.',
  remedy: "Check whether the text answers its readers' questions in full; a short answer may be enough.",
}

const thinness = ({ facts: { text } }: AuditedPage): Found | null =>
  when(text.words < minWords, () => worded(fewWords, text.words))

/** Characters of one paragraph and of all together. Paragraphs nest, so all their texts may exceed the page. */
const maxTextLength = 5000
const maxText = 2 * 1024 ** 2

function paragraphsOf({ index }: AuditedPage): string[] {
  const texts: string[] = []
  let left = maxText
  for (const entry of index.of('p')) {
    if (entry.end - entry.start < 2) continue
    texts.push(index.text(entry, maxTextLength))
    left -= Math.min(entry.end - entry.start, maxTextLength)
    if (left < 0) break
  }
  return texts
}

/** Returns the reading ease of English texts (Flesch, 1948): 100 is very easy, below 30 very hard. */
function fleschOf(texts: readonly string[]): { ease: number; words: number } {
  let [sentences, words, syllables] = [0, 0, 0]
  for (const text of texts) {
    const found = text.match(/[A-Za-z][A-Za-z'’]*/g) ?? []
    sentences += Math.max(1, text.match(/(?<![.!?])[.!?]+(?=\s|$)/g)?.length ?? 0)
    words += found.length
    for (const word of found) syllables += syllablesIn(word.toLowerCase())
  }
  if (words === 0) return { ease: 100, words }
  return { ease: 206.835 - 1.015 * (words / sentences) - 84.6 * (syllables / words), words }
}

/** Estimates the syllables of a word: its groups of vowels, without a silent e. */
function syllablesIn(word: string): number {
  const groups = word.replace(/(?:[^laeiouy]es?|ed)$/, '').match(/[aeiouy]{1,2}/g)
  return Math.max(1, groups?.length ?? 0)
}
