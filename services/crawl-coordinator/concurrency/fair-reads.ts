/**
 * Reads whole runs for waiting clients, one run at a time, because each read needs much memory. Projects take turns.
 * Each project has few reads in the queue, and reads whose caller has left are skipped. Readers with a share link of a
 * project count as another project, so that they never delay the project itself.
 */
import { limitedByProject } from '@tidemark/bus/at-most'
import { createFairLine } from '@tidemark/bus/fair-line'
import { refuse } from '@tidemark/bus/refusal'
import { explainTimeoutMs } from '@tidemark/contracts/rpc/explain'

/** Maximum reads of one project, and of its share links: one in progress, and the others in the queue. */
export const maxOfProject = 16

export type Reader = { projectId: number; isShared?: true }

/**
 * Reads when it is the project's turn. Throws a `Refusal`: `too_many_requests` if the project has too many reads in the
 * queue, `unavailable` if the caller has left before its turn.
 */
export type FairRead = <Result>(reader: Reader, read: () => Promise<Result>) => Promise<Result>

/** @param now milliseconds of a monotonic clock */
export function fairReads(now: () => number = () => performance.now()): FairRead {
  const line = createFairLine()
  const join = ({ projectId, isShared }: Reader, read: () => Promise<unknown>) => {
    const leavesAt = now() + explainTimeoutMs
    return line.join(isShared ? `${projectId} shares` : projectId, async () => {
      if (now() >= leavesAt) throw refuse('unavailable')
      return read()
    })
  }
  const limited = () => limitedByProject({ max: maxOfProject }, join)
  const [byKey, byShare] = [limited(), limited()]
  return <Result>(reader: Reader, read: () => Promise<Result>) =>
    (reader.isShared ? byShare : byKey)(reader, read) as Promise<Result>
}
