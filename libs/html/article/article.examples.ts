/** Shared by the tests: pages made of a few parts, each written for what it shows. */
import { parseTree } from '../tree/parse-tree.ts'
import type { Article } from './article.ts'
import { readArticle } from './read-article.ts'

export const pageUrl = 'https://www.example.com/garden/moss-lawns'

export const articleOf = (html: string, url = pageUrl): Article => readArticle(parseTree(html), { url })

const sentences = [
  'Moss grows where grass gives up, in the shade of old walls and under the eaves of the shed.',
  'It asks for little water, no mowing at all, and it stays green through most of the winter.',
  'Gardeners in wet countries have known this for centuries, and they build whole gardens from it.',
  'The first year is slow, because birds pull at the young cushions, looking for worms below.',
  'After that it closes like a carpet, and only leaves have to be taken off in the autumn.',
  'Walk on it with bare feet, if you like, but leave the heavy boots on the stones beside it.',
] as const

/** A paragraph of prose, a different one for each number. */
export const prose = (number: number): string =>
  `${sentences[number % sentences.length]} That was said in note ${number} of the garden book, with care.`

export const paragraphs = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, at) => `<p>${prose(from + at)}</p>`).join('\n')

export const links = (count: number, path = '/more'): string =>
  Array.from(
    { length: count },
    (_, at) => `<li><a href="${path}/${at}">Another story of the day ${at}</a></li>`,
  ).join('')

/** A page as sites build them, with `inside` after the text of the article. */
export const site = (inside: string, head = ''): string => `<!doctype html><html lang="en"><head>
  <title>Moss instead of grass | The Example Gardener</title>${head}</head><body class="has-sidebar">
  <header class="site-header"><a href="/">The Example Gardener</a>
    <nav><ul>${links(8)}</ul></nav></header>
  <div class="layout"><main><h1>Moss instead of grass</h1>
    <div class="body">${paragraphs(5)}${inside}</div></main>
  <div class="sidebar"><h3>Most read</h3><ul>${links(6, '/read')}</ul></div></div>
  <footer><p>All of this belongs to somebody, who has written a long sentence about it here.</p></footer>
  </body></html>`
