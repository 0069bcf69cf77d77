/**
 * Stores a batch of pages and insists on it while the database is away, or the store of bodies. What is refused for what
 * it is, rather than for how things are, is found by halving, and only that is left out.
 */

import { type Insistence, insist } from '@tidemark/bus/insist'
import { BodyTooLarge } from '@tidemark/content/objects'
import type { StoredPage } from '@tidemark/content/statements'
import type { Content } from '@tidemark/content/store'

/** Classes of SQLSTATE that speak of the data: data exception, constraint violation, limit exceeded. */
const aboutData = new Set(['22', '23', '54'])

/** The pages that could not be stored, none as a rule. Rejects only when told to stop. */
export async function storeBatch(
  content: Content,
  pages: StoredPage[],
  insistence: Insistence,
): Promise<StoredPage[]> {
  if (pages.length === 0) return []
  const refusal = await insist(() => content.storePages(pages).then(() => null, refusalOrThrow), insistence)
  if (refusal === null) return []
  insistence.report(refusal)
  if (pages.length === 1) return pages
  const middle = pages.length >> 1
  const halves = [pages.slice(0, middle), pages.slice(middle)]
  return (await Promise.all(halves.map(half => storeBatch(content, half, insistence)))).flat()
}

function refusalOrThrow(error: unknown): unknown {
  if (error instanceof BodyTooLarge) return error
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && code.length === 5 && aboutData.has(code.slice(0, 2))) return error
  throw error
}
