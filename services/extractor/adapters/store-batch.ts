/**
 * Stores a batch of pages, and retries while the database or the body store is unavailable. Pages that are rejected for
 * their data are found by halving the batch, and only they are left out.
 */

import { type Insistence, insist } from '@tidemark/bus/insist'
import { BodyTooLarge } from '@tidemark/content/objects'
import type { StoredPage } from '@tidemark/content/statements'
import type { Content } from '@tidemark/content/store'

/** Classes of SQLSTATE about the data: data exception, constraint violation, limit exceeded. */
const aboutData = new Set(['22', '23', '54'])

/** Returns the pages that could not be stored, usually none. Rejects only when aborted. */
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
