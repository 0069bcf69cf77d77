/** The canonical URL that search engines use, by the same rules as the audit of a page. */
import type { PageFacts } from '@tidemark/html/page-facts'
import { baseOf } from '@tidemark/html/tree/base-of'
import { parseTree } from '@tidemark/html/tree/parse-tree'
import { withAddresses } from '@tidemark/html/with-addresses'
import { normalForm } from '@tidemark/url/normal-form'
import { queriesIn } from '@tidemark/url/query-charset'
import { PageIndex } from './audit/page-index.ts'
import { effectiveInHeader, effectiveOf } from './audit/stated-canonicals.ts'

/**
 * Returns the normal form, or null if no canonical URL is valid: it is in the body, or several differ.
 * @param html null for content other than HTML, which can state a canonical only in its `Link` header
 */
export function heededCanonical(
  page: { url: string; headers: Record<string, string> },
  html: { text: string; charset: string; facts: Pick<PageFacts, 'canonical'> } | null,
): string | null {
  const { link = '' } = page.headers
  if (html === null) return effectiveInHeader(link, page.url)
  const { text, charset, facts } = html
  const at = text.indexOf('canonical')
  if (at === -1 && facts.canonical === null) return effectiveInHeader(link, page.url)
  // Most pages have one canonical URL, their own. A tree for each page would cost more than everything else.
  const isOne = at === text.lastIndexOf('canonical') && link === ''
  if (isOne && isPlain(text, at) && facts.canonical === normalForm(page.url)) return facts.canonical
  const tree = withAddresses(parseTree(text), queriesIn(charset))
  return effectiveOf({ index: new PageIndex(tree), base: baseOf(tree, page.url), page })
}

/**
 * Returns whether the tag around a position cannot have an attribute for which search engines ignore the canonical URL.
 */
const isPlain = (text: string, at: number): boolean =>
  at !== -1 && !/lang|media|type/i.test(text.slice(text.lastIndexOf('<', at), text.indexOf('>', at)))
