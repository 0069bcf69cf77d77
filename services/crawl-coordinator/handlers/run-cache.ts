/**
 * Caches values that are read from a run's events, until its stream grows. Values of ended runs and of earlier times
 * stay until the cache is full. Caches with the same `fairly` read streams one after another, so that many concurrent
 * requests need the memory of one request.
 */

import type { RunCommit } from '@tidemark/contracts/run'
import { type Facet, subjects } from '@tidemark/contracts/subjects'
import type { EventStore, Stored } from '@tidemark/eventstore/store'
import type { FairRead } from '../concurrency/fair-reads.ts'
import { isWithin, type Span } from '../domain/past/prefix.ts'
import { statusOf } from './last-commit.ts'

/** The value, and the version up to which it was read. `span` is set if the value is true for these times only. */
type Read<T> = { version: number; value: T; span?: Span }

type OfRun = { projectId: number; runId: number }

/** A run, or a run at a time in epoch milliseconds. */
type Wanted = OfRun & { time?: number; isShared?: true }

type Cache = {
  /** Maximum number of cached results. */
  max: number
  /** The facet whose events are read; the crawl by default. */
  facet?: Facet
  fairly: FairRead
}

/** The share of a full cache that one project may have. */
const maxShare = 0.25

/** Returns a cached form of `read`. Rejects as `fairly` and `read` do. */
export function cachedByRun<T, Of extends Wanted = Omit<Wanted, 'time'>>(
  store: Pick<EventStore, 'last'>,
  { max, facet = 'crawl', fairly }: Cache,
  read: (of: Of) => Promise<Read<T>>,
): (of: Of) => Promise<T> {
  /** The latest one is last. */
  const entries: (Read<T> & OfRun)[] = []

  /** Returns the cached value unless the stream has grown. */
  async function cached(of: Of): Promise<Read<T> | null> {
    const known = entries.find(entry => entry.runId === of.runId && holdsAt(entry, of.time))
    if (known === undefined) return null
    const last = await store.last<RunCommit>(subjects.run(of.runId, facet))
    if (!isCurrent(known, last)) return null
    keep(of, known)
    return known
  }

  function keep({ projectId, runId, time }: Of, value: Read<T>): void {
    const earlier = entries.findIndex(entry => entry.runId === runId && holdsAt(entry, time))
    if (earlier >= 0) entries.splice(earlier, 1)
    entries.push({ ...value, projectId, runId })
    if (entries.length > max) entries.splice(indexToDrop(entries, max), 1)
  }

  async function current(of: Of): Promise<Read<T>> {
    const known = await cached(of)
    if (known !== null) return known
    const fresh = await read(of)
    keep(of, fresh)
    return fresh
  }

  return async of => {
    const { value } = (await cached(of)) ?? (await fairly(of, () => current(of)))
    return value
  }
}

/**
 * Returns the index of the entry to drop. This is the oldest entry, or the project's own oldest entry if the project of
 * the newest entry exceeds its share. One project therefore cannot drop the entries of all others.
 */
function indexToDrop(entries: readonly OfRun[], max: number): number {
  const projectId = entries.at(-1)?.projectId
  const isOwn = (entry: OfRun): boolean => entry.projectId === projectId
  return entries.filter(isOwn).length > max * maxShare ? entries.findIndex(isOwn) : 0
}

const holdsAt = ({ span }: { span?: Span }, time: number | undefined): boolean =>
  span === undefined || time === undefined || isWithin(span, time)

/** Later events do not change a value of the past, except the deletion of the run. */
function isCurrent({ version, span }: Read<unknown>, last: Stored<RunCommit> | null): boolean {
  if ((last?.sequence ?? 0) === version) return true
  const isPast = span !== undefined && span.until < Number.POSITIVE_INFINITY
  return isPast && last !== null && last.sequence > version && statusOf(last.commit) !== 'deleted'
}
