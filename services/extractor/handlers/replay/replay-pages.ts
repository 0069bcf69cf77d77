/**
 * Reads stored pages again like fetched ones, one after the other, and compares the results with what was stored. A
 * page that cannot be read is reported and stops no other. Nothing is fetched or stored.
 */
import type { Owner } from '@tidemark/bus/fair-line'
import { refuse } from '@tidemark/bus/refusal'
import { BodiesAway, BodyMissing } from '@tidemark/content/objects'
import type { Content, PackedPage } from '@tidemark/content/store'
import { textOf } from '@tidemark/contracts/plain-text'
import type { PagesReplayed, Replayed, ReplayPages, StoredPage } from '@tidemark/contracts/rpc/replay'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import type { DroppedWork } from '../../adapters/dropped-work.ts'
import { responseFacts } from '../../adapters/stored-pages.ts'
import { ThreadTerminated } from '../../concurrency/thread.ts'
import type { PageReader, ReadPage } from '../read-page.ts'
import { type Compared, isSame, type PackedFacts } from './compare-packed.ts'

export type ReplayPorts = {
  store: Pick<Content, 'readPacked'>
  /** Returns the reader of pages for a tenant. */
  readerOf: (owner: Owner) => Pick<PageReader, 'readAny'>
  /** Rejects with `ThreadTerminated`, and with the errors of `comparePacked`. */
  compare: (stored: PackedFacts, now: PackedFacts, owner: Owner) => Promise<Compared>
  dropped: Pick<DroppedWork, 'watch'>
  report: (error: unknown) => void
}

/** No further page of a request is read after this time, or with more characters in the response. */
const limits = { ms: 10_000, characters: 512 * 1024 }

/** The handler throws a `Refusal` 503 if too many requests wait, or if the client has left. */
export function replayPages(ports: ReplayPorts) {
  return async (request: ReplayPages): Promise<PagesReplayed> => {
    using work = ports.dropped.watch(request.workId)
    const end = performance.now() + limits.ms
    const pages: Replayed[] = []
    let characters = 0
    for (const page of request.pages) {
      const replayed = await replayedOf(ports, request, page).catch(refusedAfter(pages.length))
      if (work.signal.aborted) throw refuse('unavailable')
      if (replayed === null) break
      pages.push(replayed)
      characters += JSON.stringify(replayed).length
      if (performance.now() > end || characters > limits.characters) break
    }
    return { pages }
  }
}

/**
 * Returns null for a page that could not be read now, if the response has other pages: the caller requests it again.
 */
const refusedAfter =
  (answered: number) =>
  (error: unknown): null => {
    const isBusy = error instanceof ThreadTerminated || error instanceof BodiesAway
    if (!isBusy) throw error
    if (answered > 0) return null
    throw refuse('unavailable', { retryAfterSeconds: 5 })
  }

async function replayedOf(
  { store, readerOf, compare, report }: ReplayPorts,
  request: ReplayPages,
  page: StoredPage,
): Promise<Replayed> {
  const kept = await store.readPacked(request.runId, page.key).catch(error => {
    if (!(error instanceof BodyMissing)) throw error
    report(error)
    return null
  })
  if (kept === null || kept.body === null) return { unread: 'not_stored' }
  const owner = `project ${request.projectId}`
  const read = await readerOf(owner).readAny({ page: fetchedPage(request, page, kept), blob: kept.body })
  const now = factsOf(read)
  if (now === null) return { unread: failureOf(read) }
  // A page that was fetched twice, because its first delivery was lost, may be stored as it came the second time.
  if (now.rawHash !== page.rawHash) return { unread: 'other_body' }
  const { title, contentHash, comparisonHash } = page
  const { charset, metadata, edges } = kept
  const stored = { title, contentHash, comparisonHash, charset, metadata, edges }
  if (isSame(stored, now)) return { changes: [], links: null }
  try {
    return await compare(stored, now, owner)
  } catch (error) {
    if (error instanceof ThreadTerminated && (error.why === 'patience' || error.why === 'closed')) throw error
    report(error)
    return { unread: 'unreadable' }
  }
}

/**
 * Returns the page as the fetcher sent it, as far as it is stored. Nothing that is compared depends on the other
 * fields: the scope decides which links are followed, and headers and the sign of a login decide how the crawl
 * continues.
 */
function fetchedPage(
  { runId, comparison }: ReplayPages,
  { key, url, status, fetchedAt, rendered }: StoredPage,
  { contentType, encodings, metadata }: PackedPage,
): FetchedPage {
  return {
    ...{ runId, key, url, status, fetchedAt, contentType, encodings },
    ...responseFacts(metadata),
    attempt: 1,
    scope: { host: '', subdomains: false },
    storeHtml: false,
    bulkyKey: null,
    ...(rendered && { rendered: true }),
    ...(comparison && { comparison }),
  }
}

/** Returns the facts of a page, or null if it could not be read. */
function factsOf({ stored, outcomes }: ReadPage): (PackedFacts & { rawHash: string }) | null {
  const outcome = outcomes.at(-1)
  if (stored === null || outcome?.type !== 'page') return null
  const { title, contentHash, rawHash, comparisonHash = null } = outcome
  const { charset, metadata, edges } = stored
  return { title: textOf(title), contentHash, rawHash, comparisonHash, charset, metadata, edges }
}

function failureOf({ outcomes }: ReadPage): string {
  const outcome = outcomes.at(-1)
  return outcome?.type === 'failed' ? outcome.reason : 'unreadable'
}
