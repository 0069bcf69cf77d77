/**
 * Reads the pages of the runs that forks continue, from their stream or archive, and caches them. A run that was deleted
 * has none. A read that fails rejects, and the decision that needs it is repeated: pages are never fetched because of it.
 */
import type { RunCommit } from '@tidemark/contracts/run'
import type { StoredAnswer } from '@tidemark/contracts/work/revisit'
import type { EventStore } from '@tidemark/eventstore/store'
import type { StoredPages } from '../domain/circumstances.ts'
import { readRun } from '../handlers/fold-run.ts'

/** Returns the pages of a run that the content store may have. */
export type FindBasePages = (runId: number) => Promise<StoredPages>

/** Maximum number of cached pages of all runs. A larger run is cached alone. */
const maxCached = 500_000

/** The cached form of a page: its status and its time in epoch milliseconds, negative if a browser rendered it. */
type Packed = readonly [status: number, time: number]

/** @param max maximum number of cached pages */
export function basePages(store: Pick<EventStore, 'read'>, max = maxCached): FindBasePages {
  /** Reads by run, those in progress too. The least recently used is first. */
  const cache = new Map<number, { reading: Promise<ReadonlyMap<string, Packed>>; size: number }>()

  function read(runId: number) {
    const entry = { reading: pagesOf(store, runId), size: 0 }
    cache.set(runId, entry)
    entry.reading.then(
      pages => {
        entry.size = pages.size
        trim(runId)
      },
      () => {
        if (cache.get(runId) === entry) cache.delete(runId)
      },
    )
    return entry
  }

  function trim(latest: number): void {
    let sum = 0
    for (const { size } of cache.values()) sum += size
    for (const [runId, { size }] of cache) {
      if (sum <= max) return
      if (runId === latest) continue
      cache.delete(runId)
      sum -= size
    }
  }

  return async runId => {
    const entry = cache.get(runId) ?? read(runId)
    cache.delete(runId)
    cache.set(runId, entry)
    const pages = await entry.reading
    return {
      get(key) {
        const packed = pages.get(key)
        return packed && unpacked(packed)
      },
    }
  }
}

async function pagesOf(store: Pick<EventStore, 'read'>, runId: number): Promise<ReadonlyMap<string, Packed>> {
  const pages = new Map<string, Packed>()
  await readRun(store, runId, ({ commit }) => add(pages, commit))
  return pages
}

/** A challenge is requested again, because it is not the page. */
function add(pages: Map<string, Packed>, { events }: RunCommit): void {
  for (const { type, data } of events) {
    if (type === 'RunDeleted') pages.clear()
    if (type !== 'PagesSettled') continue
    for (const { key, status, fetchedAt, rendered, blocked } of data.pages)
      if (!blocked) pages.set(key, [status, (rendered ? -1 : 1) * Date.parse(fetchedAt)])
  }
}

const unpacked = ([status, time]: Packed): StoredAnswer => ({
  status,
  fetchedAt: new Date(Math.abs(time)).toISOString(),
  ...(time < 0 && { rendered: true as const }),
})
