/**
 * Caches values read from a run's events until its stream grows. Values of ended runs stay until the cache is full.
 * Streams are read one after another, so that many concurrent requests need the memory of one.
 */
import { subjects } from '@tidemark/contracts/subjects'
import type { EventStore } from '@tidemark/eventstore/store'
import { fewAtATime } from '../turns/few-at-a-time.ts'

/** The value, and the version up to which it was read. */
type Read<T> = { version: number; value: T }

/** Returns a cached form of `read`, which keeps the latest `max` results. */
export function cachedByRun<T>(
  store: Pick<EventStore, 'last'>,
  max: number,
  read: (runId: number) => Promise<Read<T>>,
): (runId: number) => Promise<T> {
  const cache = new Map<number, Read<T>>()
  const inTurn = fewAtATime(1)

  async function current(runId: number): Promise<T> {
    const cached = cache.get(runId)
    cache.delete(runId)
    if (cached && (await store.last(subjects.run(runId)))?.sequence === cached.version) {
      cache.set(runId, cached)
      return cached.value
    }
    const fresh = await read(runId)
    cache.set(runId, fresh)
    const [oldest] = cache.keys()
    if (cache.size > max && oldest !== undefined) cache.delete(oldest)
    return fresh.value
  }

  return runId => inTurn(() => current(runId))
}
