/**
 * Runs the reads that may scan millions of rows of a project. They share the connections of billing and of reservations,
 * so few run at once, and each has a maximum time.
 */
import { atMost, atMostOfProject } from '@tidemark/bus/at-most'
import { refuse } from '@tidemark/bus/refusal'
import { ofProject } from '@tidemark/db/of-project'
import type { Pool } from 'pg'

/** Half of the connections of the service. */
const maxReads = 3
const maxOfProject = 2

/** `advice` is the sentence for a client whose rows were not found in time. */
type LongRead<Answer> = {
  projectId: number
  maxMs: number
  advice: string
  read: (pool: Pick<Pool, 'query'>) => Promise<Answer>
}

/**
 * Reads, and rejects with a `Refusal` if the project (`too_many_requests`) or all of them (`unavailable`) have too many
 * reads under way, or after the maximum time (`unavailable`).
 */
export type ReadLong = <Answer>(wanted: LongRead<Answer>) => Promise<Answer>

export function longReads(pool: Pool): ReadLong {
  const reads = ofProject(pool)
  const limited = atMostOfProject(
    { max: maxOfProject },
    atMost(maxReads, ({ projectId, maxMs, advice, read }: LongRead<unknown>) =>
      read(reads(projectId, maxMs)).catch(error => {
        if (!isTooSlow(error)) throw error
        const message = `The rows were not found within ${maxMs / 1000} seconds. ${advice}`
        throw refuse('unavailable', { message }, { cause: error })
      }),
    ),
  )
  return <Answer>(wanted: LongRead<Answer>) => limited(wanted) as Promise<Answer>
}

/** Returns whether Postgres ended a statement after its maximum time (SQLSTATE 57014). */
const isTooSlow = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '57014'
