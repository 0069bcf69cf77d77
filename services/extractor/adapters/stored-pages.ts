/**
 * Reads the pages that a fork takes from the store: the responses that the earlier run got, as the fetcher would send
 * them, with their bodies in the stored encodings.
 */
import type { BatchedPage, ReadPageBatch } from '@tidemark/content/page-batches'
import type { Content } from '@tidemark/content/store'
import type { FetchedPage } from '@tidemark/contracts/work/page'

export type StoredResponse = { page: FetchedPage; asSent: Buffer; picture: Buffer | null }

export type StoredPages = {
  /**
   * Returns the responses with small bodies and metadata, by their pages. All others, and those that are deleted, are
   * left out. Rejects while the database is unavailable.
   */
  readSmall(pages: readonly FetchedPage[]): Promise<ReadonlyMap<FetchedPage, StoredResponse>>
  /**
   * Returns the response, or null if it is deleted. Rejects while the database or the store of bodies is unavailable.
   */
  read(page: FetchedPage): Promise<StoredResponse | null>
}

const parts = { body: true, edges: false, metadata: true, headers: true }
/**
 * Maximum bytes of a small body, and of its metadata. With this limit, all stored pages of a message are together as
 * large as the pages of a message from the fetcher.
 */
const maxSmallBytes = 64 * 1024

export const createStoredPages = (
  readBatch: ReadPageBatch,
  { readPicture }: Pick<Content, 'readPicture'>,
): StoredPages => ({
  async readSmall(pages) {
    const found = new Map<FetchedPage, StoredResponse>()
    // A rendered page may have a screenshot, which is large.
    const plain = pages.filter(({ storedIn, rendered }) => storedIn !== undefined && !rendered)
    for (const [runId, ofRun] of Map.groupBy(plain, ({ storedIn = 0 }) => storedIn)) {
      const keys = ofRun.map(({ key }) => key)
      const stored = await readBatch(runId, keys, { ...parts, maxBodyBytes: maxSmallBytes })
      for (const page of ofRun) {
        const response = responseOf(page, stored.get(page.key), null)
        if (response !== null) found.set(page, response)
      }
    }
    return found
  },

  async read(page) {
    const { storedIn = 0, key, rendered } = page
    const stored = (await readBatch(storedIn, [key], parts)).get(key)
    const picture = rendered && stored ? await readPicture(storedIn, key) : null
    return responseOf(page, stored, picture?.body ?? null)
  },
})

function responseOf(
  page: FetchedPage,
  stored: BatchedPage | undefined,
  picture: Buffer | null,
): StoredResponse | null {
  if (!stored?.body) return null
  const { contentType, encodings, headers, body } = stored
  return {
    page: {
      ...page,
      ...{ contentType, encodings },
      ...responseFacts(stored.metadata ?? '{}'),
      ...(headers !== null && { headers }),
    },
    asSent: body,
    picture,
  }
}

/**
 * Returns the facts about a response that are stored with the metadata of its page.
 * @param metadata JSON text as it is stored
 */
export function responseFacts(metadata: string): Pick<FetchedPage, 'elapsedMs' | 'robotsHeader'> {
  const facts = JSON.parse(metadata) as { elapsed_ms?: number; x_robots_tag?: string }
  return { elapsedMs: facts.elapsed_ms ?? 0, robotsHeader: facts.x_robots_tag ?? null }
}
