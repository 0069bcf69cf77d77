/**
 * What was read from a run's events, until its stream goes on: of a run that has ended, for as long as there is
 * room. Long streams are read one after another, so that many questions at once need the memory of one.
 */
import { subjects } from '@tidemark/contracts/subjects'
import type { EventStore } from '@tidemark/eventstore/store'
import { fewAtATime } from '../turns/few-at-a-time.ts'

/** What was read, and up to which version. */
type Read<T> = { version: number; what: T }

/** Gives what `read` reads of a run, and remembers the last `most` of it. */
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
