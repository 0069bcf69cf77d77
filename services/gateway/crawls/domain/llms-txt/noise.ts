/**
 * Finds pages that no reader of an llms.txt needs. A word of a URL alone is not proof: the page must be short, or a list
 * of links. Print versions are the exception, because their text is that of another page.
 */
import type { LeftOutReason } from '@tidemark/contracts/http/llms-txt'
import { decodedWord } from '@tidemark/url/escapes'
import type { ListedPage } from './listed-page.ts'
import { linkShare, textLength } from './markdown-text.ts'

export type NoiseReason = Extract<
  LeftOutReason,
  'login' | 'account' | 'search' | 'tags' | 'print' | 'pagination'
>

type Candidate = {
  url: URL
  /** The last word of the path and the one before it: decoded, in lower case, without an extension. */
  last: string
  before: string
  /** Whether the page has little text: a form instead of a document. */
  isShort: boolean
  /** Whether the page is short, or most of its text is links. */
  isList: boolean
  isKnown: (url: string) => boolean
}

/** Characters of the main content; a form has fewer, a document about forms has more. */
const short = 900
const maxLinkShare = 0.5

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(' '))
const login = wordsOf(
  'login log-in log_in signin sign-in sign_in logout sign-out signout anmelden connexion wp-login forgot-password reset-password lost-password password-reset',
)
const account = wordsOf(
  'register registration signup sign-up sign_up account my-account cart basket checkout wishlist warenkorb konto panier',
)
const search = wordsOf('search suche recherche buscar ricerca zoeken')
const tag = wordsOf('tag tags schlagwort etiqueta')
const prints = wordsOf('print printable print-version printview')

const hasParameter = ({ url }: Candidate, names: readonly string[]): boolean =>
  names.some(name => (url.searchParams.get(name) ?? '') !== '')

/** The rules in the order in which they are checked. */
const rules: Record<NoiseReason, (candidate: Candidate) => boolean> = {
  print: ({ url, last, isKnown }) => {
    const form = ['view', 'format', 'mode', 'layout'].some(name => url.searchParams.get(name) === 'print')
    const flag = ['print', 'printable'].some(name =>
      /^(?:|1|true|yes|y)$/.test(url.searchParams.get(name) ?? '-'),
    )
    if (form || flag) return true
    const above = new URL('.', url.href.replace(/\/$/, '')).href
    return prints.has(last) && (isKnown(above) || isKnown(above.replace(/\/$/, '')))
  },
  pagination: ({ url, before, last, isList }) =>
    isList &&
    ((before === 'page' && /^\d+$/.test(last)) ||
      ['page', 'paged', 'pg'].some(name => /^\d+$/.test(url.searchParams.get(name) ?? ''))),
  search: candidate =>
    candidate.isList &&
    (search.has(candidate.last) ||
      hasParameter(candidate, ['q', 'query', 's', 'search', 'keyword', 'keywords'])),
  login: ({ last, isShort }) => login.has(last) && isShort,
  account: ({ last, isShort }) => account.has(last) && isShort,
  tags: ({ last, before, isList }) => isList && (tag.has(before) || tag.has(last)),
}

/** Returns null for a page to list. @param isKnown whether the crawl has a page of this URL */
export function noiseOf(page: ListedPage, isKnown: (url: string) => boolean): NoiseReason | null {
  const url = new URL(page.url)
  const words = url.pathname
    .split('/')
    .filter(word => word !== '')
    .map(word =>
      decodedWord(word)
        .toLowerCase()
        .replace(/\.(?:html?|php|aspx?|jsp)$/, ''),
    )
  const isShort = page.main === null || textLength(page.main) < short
  const isList = isShort || (page.main !== null && linkShare(page.main) > maxLinkShare)
  const [last = '', before = ''] = words.toReversed()
  const candidate = { url, last, before, isShort, isList, isKnown }
  const found = Object.entries(rules).find(([, holds]) => holds(candidate))
  return found === undefined ? null : (found[0] as NoiseReason)
}
