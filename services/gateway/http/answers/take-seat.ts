/** A seat among the long answers of a project, held as long as the answer lasts. */
import type { Reason } from '@tidemark/contracts/problems'
import type { FastifyReply } from 'fastify'
import { ApiProblem } from '../domain/problem.ts'
import type { Seats } from '../domain/seats.ts'
import { onceOver } from '../plugins/once-over.ts'

/**
 * Throws `ApiProblem` (`too_many_requests`, as it is told to say it) where the project has no seat left. The seat is
 * given back, and the signal aborts, when the answer is over.
 */
export function takeSeat(
  seats: Seats,
  projectId: number,
  { raw }: FastifyReply,
  refusal: { reason: Reason; message: string },
): AbortSignal {
  const giveBack = seats.take(projectId)
  if (giveBack === null) throw new ApiProblem('too_many_requests', refusal)
  const gone = new AbortController()
  const end = () => {
    gone.abort()
    giveBack()
  }
  onceOver(raw, end)
  return gone.signal
}
