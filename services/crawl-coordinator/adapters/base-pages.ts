/**
 * Reads the pages of the runs that forks continue, from their stream or archive, and caches them for other forks. Each
 * fork also keeps the pages of its base. A deleted run has no pages. A read that fails rejects, and the decision that
 * needs it is repeated, so a failed read never causes pages to be fetched.
 */
import type { RunCommit } from '@tidemark/contracts/run'
import { subjects } from '@tidemark/contracts/subjects'
import type { StoredAnswer } from '@tidemark/contracts/work/revisit'
import type { EventStore } from '@tidemark/eventstore/store'
import type { StoredPages } from '../domain/circumstances.ts'
import { baseOf } from '../domain/fork/stored-pages.ts'
import type { Running } from '../domain/run.ts'
import { readRun } from '../handlers/fold-run.ts'

/** Returns the pages of a run that the content store may have. */
export type FindBasePages = (runId: number) => Promise<StoredPages>

/** Returns the pages of the base of a run, or null if the run is not a fork. */
export type FindPagesOfFork = (run: Pick<Running, 'settings'>) => Promise<StoredPages | null>

/**
 * Returns a reader for one run. It reads the pages of the run's base once and keeps them, because they are many and the
 * base may change meanwhile.
 */
export function readOnce(find: FindBasePages): FindPagesOfFork {
  let held: StoredPages | null = null
  return async run => {
    const base = baseOf(run)
    if (base !== null) held ??= await find(base)
    return held
  }
}

/** Maximum number of cached pages of all runs. A larger run is cached alone. */
const maxCached = 500_000

/** The cached form of a page: its status and its time in epoch milliseconds, negative if a browser rendered it. */
type Packed = readonly [status: number, time: number]

type Entry = { version: number; pages: ReadonlyMap<string, Packed> }

/** @param max maximum number of cached pages */
export function basePages(store: Pick<EventStore, 'last' | 'read'>, max = maxCached): FindBasePages {
  /** The least recently used run is first. */
  const cache = new Map<number, Entry>()
  /** Runs are read one after the other, because each needs much memory. */
  let line: Promise<unknown> = Promise.resolve()

  /** Returns the cached pages unless the run has changed since: a base can be reopened or deleted. */
  async function cached(runId: number): Promise<Entry | null> {
    const entry = cache.get(runId)
    if (entry === undefined) return null
    const last = await store.last(subjects.run(runId))
    return entry.version === (last?.sequence ?? 0) ? entry : null
  }

  function keep(runId: number, entry: Entry): void {
    cache.delete(runId)
    cache.set(runId, entry)
    let sum = 0
    for (const { pages } of cache.values()) sum += pages.size
    for (const [earlier, { pages }] of cache) {
      if (sum <= max || earlier === runId) return
      cache.delete(earlier)
      sum -= pages.size
    }
  }

  async function current(runId: number): Promise<Entry> {
    const entry = (await cached(runId)) ?? (await pagesOf(store, runId))
    keep(runId, entry)
    return entry
  }

  return async runId => {
    const reading = line.then(() => current(runId))
    line = reading.catch(() => {})
    const { pages } = await reading
    return {
      get(key) {
        const packed = pages.get(key)
        return packed && unpacked(packed)
      },
    }
  }
}

async function pagesOf(store: Pick<EventStore, 'read'>, runId: number): Promise<Entry> {
  const pages = new Map<string, Packed>()
  const version = await readRun(store, runId, ({ commit }) => add(pages, commit))
  return { version, pages }
}

/** Adds the pages of a commit. A challenge is not the page, so it is requested again. */
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
