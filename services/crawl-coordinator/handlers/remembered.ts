/**
 * What was read from a run's events, until its stream goes on: of a run that has ended, for as long as there is
 * room. Long streams are read one after another, so that many questions at once need the memory of one.
 */
import type { RunCommit } from '@tidemark/contracts/run'
import { subjects } from '@tidemark/contracts/subjects'
import type { EventStore } from '@tidemark/eventstore/store'
import type { Stored } from '../domain/history.ts'
import { oneAtATime } from './paced.ts'

type Reading<T> = (commits: readonly Stored[], version: number) => Promise<T>
export type ReadRun<T> = (runId: number) => Promise<T>

/** Reads a run from its stream and archive, and remembers the last `most` of what was read. */
export function remembering<T>(
  store: Pick<EventStore, 'last' | 'load'>,
  most: number,
  read: Reading<T>,
): ReadRun<T> {
  const known = new Map<number, { version: number; read: T }>()
  const inTurn = oneAtATime()

  async function current(runId: number): Promise<T> {
    const subject = subjects.run(runId)
    const remembered = known.get(runId)
    known.delete(runId)
    if (remembered && (await store.last(subject))?.sequence === remembered.version) {
      known.set(runId, remembered)
      return remembered.read
    }
    const { version, commits } = await store.load<RunCommit>(subject)
    const fresh = { version, read: await read(commits, version) }
    known.set(runId, fresh)
    const [oldest] = known.keys()
    if (known.size > most && oldest !== undefined) known.delete(oldest)
    return fresh.read
  }

  return runId => inTurn(() => current(runId))
}
