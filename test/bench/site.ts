/**
 * The crawled site: generated pages like those of a manual, with the same bytes in every run. Every page is within a
 * few clicks of the front page, because page n links to pages 2n + 1 and 2n + 2.
 */
import { chooser, type Random, random } from './random.ts'

export const linksPerPage = 54
const meanCharacters = 30_000
const pagesPerPart = 50
const vocabularySize = 5000

export const robotsTxt = 'User-agent: *\nDisallow: /private/\n'

/** Returns the path of page n. Page 0 is the front page. */
export const pathOf = (page: number): string => (page === 0 ? '/' : `/part-${partOf(page)}/page-${page}.html`)

/**
 * Returns the HTML of one page out of `pages`: 18,000 to 42,000 characters, 54 links within the site and one to another
 * site.
 */
export function pageHtml(page: number, pages: number): string {
  const next = random(page + 1)
  const { words } = prose(next)
  const links = targetsOf(page, pages, next).map(to => anchor(page, to, next, words(1 + next(4))))
  const size = meanCharacters * (0.6 + next(1000) / 1250)
  const body: string[] = []
  let length = 3_000
  for (let section = 0; length < size || links.length > 0; section++) {
    const text =
      blocks[next(blocks.length)]?.({ next, words, section, link: () => links.pop() ?? words(2) }) ?? ''
    body.push(text)
    length += text.length
  }
  return frame(page, words, body.join('\n'))
}

const partOf = (page: number): number => Math.floor(page / pagesPerPart)

/**
 * Returns distinct pages: the front page, the pages that make every page reachable, and then near pages as in a real
 * manual.
 */
function targetsOf(page: number, pages: number, next: Random): number[] {
  const targets = new Set([0, page + 1, 2 * page + 1, 2 * page + 2].filter(to => to < pages))
  const max = Math.min(linksPerPage, pages)
  while (targets.size < max) {
    const near = page - 60 + next(160)
    targets.add(near >= 0 && near < pages ? near : next(pages))
  }
  return [...targets]
}

/** Returns a link as sites write them: relative or absolute, some with a fragment. */
function anchor(from: number, to: number, next: Random, text: string): string {
  const isNear = to > 0 && from > 0 && partOf(from) === partOf(to)
  const path = isNear && next(2) === 0 ? `page-${to}.html` : pathOf(to)
  const fragment = next(8) === 0 ? `#section-${next(9)}` : ''
  return `<a class="ref" href="${path}${fragment}">${text}</a>`
}

type Writing = { next: Random; words: (count: number) => string; section: number; link: () => string }

const repeat = (count: number, write: () => string): string => Array.from({ length: count }, write).join('')

const paragraph = ({ next, words, link }: Writing): string =>
  `<div class="body c${next(9)}"><p>${words(25 + next(30))} ${link()} ${words(12)} <em>${words(2)}</em> &amp; ${words(20)}.</p></div>`

const blocks: ((writing: Writing) => string)[] = [
  paragraph,
  paragraph,
  paragraph,
  paragraph,
  ({ words, section }) => `<h2 id="section-${section}">${words(4)}</h2>`,
  ({ words, link }) => `<ul>${repeat(4, () => `<li>${words(5)} ${link()}</li>`)}</ul>`,
  ({ next, words }) =>
    `<table><tr><th>${words(1)}</th><th>${words(1)}</th></tr>${repeat(5, () => `<tr><td>${words(3)}</td><td>${next(99_999)}</td></tr>`)}</table>`,
  ({ next, words }) => `<pre><code>let level = ${next(9999)} // ${words(9)}\n</code></pre>`,
  ({ next, words }) =>
    `<figure><img src="/img/${next(400)}.png" alt="${words(3)}" width="640" height="400"><figcaption>${words(5)}</figcaption></figure>`,
]

function frame(page: number, words: Writing['words'], body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${words(4)} ${page}</title>
<meta name="description" content="${words(16)}"><link rel="canonical" href="${pathOf(page)}">
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/manual.css">
<script>window.manual = { page: ${page}, words: '${words(20)}' }</script></head>
<body><header><h1>${words(5)}</h1></header><main>
${body}
</main><footer>${words(6)} <a href="https://example.org/${page}">${words(1)}</a></footer></body></html>
`
}

/** Returns text of a few frequent and many rare words, so that it compresses like real text. */
function prose(next: Random): Pick<Writing, 'words'> {
  const word = () => vocabulary[Math.floor((next(10_000) / 10_000) ** 3 * vocabulary.length)] ?? ''
  return { words: count => Array.from({ length: count }, word).join(' ') }
}

const vocabulary: string[] = makeVocabulary()

function makeVocabulary(): string[] {
  const next = random(0)
  const syllable = chooser(
    'tide ma res lo bra ne kor il um sa pe dor ven ti ghe ro fal un qua shi'.split(' '),
    next,
  )
  return Array.from({ length: vocabularySize }, () => repeat(1 + next(4), syllable))
}
