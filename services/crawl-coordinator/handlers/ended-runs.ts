/** Caches which runs have ended, so that late outcomes are recognized without reading the run. */
import type { RunCommit } from '@tidemark/contracts/run'
import { shardOf, subjects } from '@tidemark/contracts/subjects'
import { lastSeen } from '../adapters/last-seen.ts'
import { hasEnded } from './last-commit.ts'
import type { Ports as KeeperPorts } from './run-keeper.ts'

export type EndedRuns = {
  add(runId: number): void
  has(runId: number): boolean
  /** Removes the runs of a shard. */
  forget(shard: string): void
  /** Returns whether the run has ended by its last commit in the stream. Concurrent calls resolve in their order. */
  isOver(runId: number): Promise<boolean>
}

/** Maximum number of cached runs. Outcomes of an ended run arrive for as long as its last orders take. */
const maxCached = 10_000

export function endedRuns({ store }: Pick<KeeperPorts, 'store'>): EndedRuns {
  const ended = lastSeen<number>(maxCached)
  const reading = new Map<number, Promise<boolean>>()

  async function readEnd(runId: number): Promise<boolean> {
    const last = await store.last<RunCommit>(subjects.run(runId))
    if (last === null || !hasEnded(last.commit)) return false
    ended.add(runId)
    return true
  }

  return {
    add: runId => ended.add(runId),
    has: runId => ended.has(runId),
    forget: shard => ended.forget(runId => shardOf(runId) === shard),
    isOver(runId) {
      const read = reading.get(runId) ?? readEnd(runId).finally(() => reading.delete(runId))
      reading.set(runId, read)
      return read
    },
  }
}
