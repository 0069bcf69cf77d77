/** The canonical address that a page asks for and search engines heed, by the same rules as the audit of a page. */
import type { PageFacts } from '@tidemark/html/page-facts'
import { baseOf } from '@tidemark/html/tree/base-of'
import { parseTree } from '@tidemark/html/tree/parse-tree'
import { normalForm } from '@tidemark/url/normal-form'
import { effectiveInHeader, effectiveOf } from './audit/canonical.ts'
import { PageIndex } from './audit/page-index.ts'

type Answered = { url: string; headers: Record<string, string> }

/**
 * In normal form; null where none is stated, or none is heeded: one in the body, or several that differ.
 * @param html null of what is no HTML, which can state one in its `Link` header only
 */
export function heededCanonical(
  page: Answered,
  html: { text: string; facts: Pick<PageFacts, 'canonical'> } | null,
): string | null {
  const { link = '' } = page.headers
  if (html === null) return effectiveInHeader(link, page.url)
  const { text, facts } = html
  const at = text.indexOf('canonical')
  if (at === -1 && facts.canonical === null) return effectiveInHeader(link, page.url)
  // Most pages state themselves, once: a tree of each would cost more than all the rest.
  const isOne = at === text.lastIndexOf('canonical') && link === ''
  if (isOne && facts.canonical === normalForm(page.url)) return facts.canonical
  const tree = parseTree(text)
  return effectiveOf({ index: new PageIndex(tree), base: baseOf(tree, page.url), page })
}
