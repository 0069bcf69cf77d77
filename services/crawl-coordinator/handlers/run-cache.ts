/**
 * Caches values read from a run's events until its stream grows. Values of ended runs stay until the cache is full.
 * Streams are read one after another, so that many concurrent requests need the memory of one.
 */
import { subjects } from '@tidemark/contracts/subjects'
import type { EventStore } from '@tidemark/eventstore/store'
import { fairReads } from '../turns/fair-reads.ts'

/** The value, and the version up to which it was read. */
type Read<T> = { version: number; value: T }

type OfRun = { projectId: number; runId: number }

/** Returns a cached form of `read`, which keeps the latest `max` results. Rejects as `ReadInTurn`. */
export function cachedByRun<T>(
  store: Pick<EventStore, 'last'>,
  max: number,
  read: (runId: number) => Promise<Read<T>>,
): (run: OfRun) => Promise<T> {
  const cache = new Map<number, Read<T>>()
  const inTurn = fairReads()

  /** Returns the cached value unless the stream has grown. */
  async function cached(runId: number): Promise<Read<T> | null> {
    const known = cache.get(runId)
    if (known === undefined) return null
    if ((await store.last(subjects.run(runId)))?.sequence !== known.version) return null
    keep(runId, known)
    return known
  }

  function keep(runId: number, value: Read<T>): void {
    cache.delete(runId)
    cache.set(runId, value)
    const [oldest] = cache.keys()
    if (cache.size > max && oldest !== undefined) cache.delete(oldest)
  }

  async function current(runId: number): Promise<Read<T>> {
    const known = await cached(runId)
    if (known !== null) return known
    const fresh = await read(runId)
    keep(runId, fresh)
    return fresh
  }

  return async ({ projectId, runId }) => {
    const { value } = (await cached(runId)) ?? (await inTurn(projectId, () => current(runId)))
    return value
  }
}
