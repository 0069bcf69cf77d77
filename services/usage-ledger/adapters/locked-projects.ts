/**
 * Runs the transactions that grant units, one at a time for each project. Further transactions of the project wait in
 * this process, so that a burst of one project occupies one connection and not all of them. The lock of the project in
 * the database excludes other processes.
 */
import { refuse } from '@tidemark/bus/refusal'
import type { Database } from '@tidemark/db/database'
import { serialByKey } from '@tidemark/db/serial'
import type { PoolClient } from 'pg'
import { lockProject } from './reservations.ts'

type Work<Result> = (client: PoolClient) => Promise<Result>

export type LockedProjects = {
  /**
   * Runs the work in a transaction that has locked the project. Rejects with a `Refusal` (`unavailable`) if it would
   * begin after the caller has given up.
   */
  run<Result>(projectId: number, work: Work<Result>): Promise<Result>
  /** Runs work without a caller, however long it has to wait. */
  runLate(projectId: number, work: Work<void>): Promise<void>
}

/** The time for which callers wait for units, in milliseconds. A later grant would hold units that no request uses. */
const maxWaitMs = 3_000

export function lockedProjects({ transaction }: Pick<Database, 'transaction'>): LockedProjects {
  const serially = serialByKey<number>()
  const locked = <Result>(projectId: number, work: Work<Result>) =>
    transaction(async client => {
      await lockProject(client, projectId)
      return work(client)
    })
  return {
    run(projectId, work) {
      const requestedAt = performance.now()
      return serially(projectId, async () => {
        if (performance.now() - requestedAt > maxWaitMs) throw refuse('unavailable')
        return locked(projectId, work)
      })
    },
    runLate: (projectId, work) => serially(projectId, () => locked(projectId, work)),
  }
}
