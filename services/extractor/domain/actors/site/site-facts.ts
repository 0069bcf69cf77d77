/** The facts of a page that the rules of a site compare: hashes and counts instead of texts. */
import { hash } from 'node:crypto'
import { maxAlternates, type SiteFacts } from '@tidemark/contracts/rpc/site-audit'
import { numberOfKey, urlKey } from '@tidemark/url/key'
import type { AuditedPage } from '../audit/audited-page.ts'
import type { PageIndex } from '../audit/page-index.ts'
import { effectiveOf } from '../audit/stated-canonicals.ts'
import { simhashOf } from './simhash.ts'

export function siteFactsOf(page: AuditedPage): SiteFacts {
  const { facts, index, alternates, isIndexed } = page
  const text = ownTextOf(index)
  const canonical = effectiveOf(page)
  const targets = new Set(alternates.flatMap(({ target }) => target ?? []))
  return {
    isIndexed,
    words: facts.text.words,
    title: hashOf(facts.title),
    titleLike: hashOf(likenessOf(facts.title)),
    description: hashOf(facts.description),
    descriptionLike: hashOf(likenessOf(facts.description)),
    text: hashOf(text),
    simhash: simhashOf(text),
    canonical: canonical === null ? 0 : numberOfUrl(canonical),
    alternates: [...targets].slice(0, maxAlternates).map(numberOfUrl),
    ...(facts.refresh !== null && { refresh: numberOfUrl(facts.refresh) }),
  }
}

/** A main element with fewer characters is not the content of the page. */
const minMain = 200
const surroundings = ['nav', 'header', 'footer', 'aside']

/** Returns the text of the only main element, else the text of the page without menus, headers and footers. */
function ownTextOf(index: PageIndex): string {
  const [main, ...others] = index.of('main')
  const isMain = main !== undefined && others.length === 0 && main.end - main.start >= minMain
  const parts = isMain ? [index.visibleText.slice(main.start, main.end)] : partsBeside(index)
  return parts.join(' ').replace(/\s+/g, ' ').trim()
}

function partsBeside(index: PageIndex): string[] {
  const parts: string[] = []
  let from = 0
  for (const { start, end } of index.of(...surroundings).sort((a, b) => a.start - b.start)) {
    if (start > from) parts.push(index.visibleText.slice(from, start))
    from = Math.max(from, end)
  }
  return [...parts, index.visibleText.slice(from)]
}

const numberOfUrl = (url: string): number => numberOfKey(urlKey(url))

/** Returns 0 for a missing text. */
const hashOf = (text: string | null): number =>
  text === null || text === '' ? 0 : numberOfKey(hash('sha256', text, 'base64url').slice(0, 11))

/** Returns the distinct words in alphabetical order, in lower case and without digits; null without a word. */
function likenessOf(text: string | null): string | null {
  const words = new Set(text?.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [])
  return words.size === 0 ? null : [...words].sort().join(' ')
}
