/**
 * Caches values read from a run's events until its stream grows. Values of ended runs stay until the cache is full.
 * Streams are read one after another, so that many concurrent requests need the memory of one.
 */
import { subjects } from '@tidemark/contracts/subjects'
import type { EventStore } from '@tidemark/eventstore/store'
import { fewAtATime } from '../turns/few-at-a-time.ts'

/** The value, and the version up to which it was read. */
type Read<T> = { version: number; what: T }

/** Returns a cached form of `read`, which keeps the latest `most` results. */
export function remembering<T>(
  store: Pick<EventStore, 'last'>,
  most: number,
  read: (runId: number) => Promise<Read<T>>,
): (runId: number) => Promise<T> {
  const known = new Map<number, Read<T>>()
  const inTurn = fewAtATime(1)

  async function current(runId: number): Promise<T> {
    const remembered = known.get(runId)
    known.delete(runId)
    if (remembered && (await store.last(subjects.run(runId)))?.sequence === remembered.version) {
      known.set(runId, remembered)
      return remembered.what
    }
    const fresh = await read(runId)
    known.set(runId, fresh)
    const [oldest] = known.keys()
    if (known.size > most && oldest !== undefined) known.delete(oldest)
    return fresh.what
  }

  return runId => inTurn(() => current(runId))
}
