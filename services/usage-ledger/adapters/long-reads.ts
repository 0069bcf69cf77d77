/**
 * Runs the reads that may scan millions of rows of a project. They share the connections of billing and of reservations,
 * so few run at once, and each has a maximum time. A project has one at a time, and projects take turns.
 */
import { limitedByProject } from '@tidemark/bus/at-most'
import { createFairLine } from '@tidemark/bus/fair-line'
import { refuse } from '@tidemark/bus/refusal'
import { ofProject } from '@tidemark/db/of-project'
import { isTooSlow } from '@tidemark/db/too-slow'
import type { Pool } from 'pg'

/** Maximum number of reads of one project: one in progress and one in the queue. */
const maxOfProject = 2

/** `advice` is the sentence for a client whose rows were not found in time. */
type LongRead<Answer> = {
  projectId: number
  advice: string
  read: (pool: Pick<Pool, 'query'>) => Promise<Answer>
}

type Limits = {
  /** Number of reads at once, of all projects. */
  atOnce: number
  /** Maximum milliseconds of a read, without its wait. */
  maxMs: number
  /** Milliseconds for which a caller waits. A read whose caller no longer waits is skipped. */
  callerMs: number
}

/**
 * Reads, and rejects with a `Refusal` if the project has too many reads under way (`too_many_requests`), after the
 * maximum time, or if the caller no longer waits when the read would begin (`unavailable`).
 */
export type ReadLong = <Answer>(wanted: LongRead<Answer>) => Promise<Answer>

export function longReads(pool: Pool, { atOnce, maxMs, callerMs }: Limits): ReadLong {
  const reads = ofProject(pool)
  const lines = Array.from({ length: atOnce }, () => ({
    line: createFairLine(),
    owners: new Map<number, number>(),
  }))

  /** Returns the queue in which the project has reads already, or else the shortest queue. */
  const lineFor = (projectId: number) =>
    lines.find(({ owners }) => owners.has(projectId)) ??
    lines.reduce((best, one) => (one.line.waiting < best.line.waiting ? one : best))

  const limited = limitedByProject(
    { max: maxOfProject },
    async ({ projectId, advice, read }: LongRead<unknown>) => {
      const leavesAt = performance.now() + callerMs
      const { line, owners } = lineFor(projectId)
      owners.set(projectId, (owners.get(projectId) ?? 0) + 1)
      const inTime = async () => {
        if (performance.now() >= leavesAt) throw refuse('unavailable')
        return read(reads(projectId, maxMs)).catch(error => {
          throw isTooSlow(error) ? tooSlow(maxMs, advice, error) : error
        })
      }
      return line.join(projectId, inTime).finally(() => {
        const left = (owners.get(projectId) ?? 1) - 1
        if (left > 0) owners.set(projectId, left)
        else owners.delete(projectId)
      })
    },
  )
  return <Answer>(wanted: LongRead<Answer>) => limited(wanted) as Promise<Answer>
}

const tooSlow = (maxMs: number, advice: string, cause: unknown) =>
  refuse(
    'unavailable',
    { message: `The rows were not found within ${maxMs / 1000} seconds. ${advice}` },
    { cause },
  )
