/** Acquires a concurrency slot for a long answer of a project, or of a share of it, until the answer ends. */
import type { Reason } from '@tidemark/contracts/problems'
import type { FastifyReply } from 'fastify'
import { ApiProblem } from '../domain/problem.ts'
import type { Slots } from '../domain/slots.ts'
import { onResponseEnd } from '../requests/on-response-end.ts'
import { holderOf } from '../requests/share-access.ts'

/**
 * Throws `ApiProblem` (`too_many_requests`, with this reason and message) if the project, or the readers of its shares, have
 * no free slot. When the answer ends, the slot is released and the signal aborts.
 */
export function acquireSlot(
  slots: Slots,
  projectId: number,
  { raw, request }: FastifyReply,
  refusal: { reason: Reason; message: string },
): AbortSignal {
  const release = slots.take(holderOf(projectId, request.raw))
  if (release === null) throw new ApiProblem('too_many_requests', refusal)
  const ended = new AbortController()
  onResponseEnd(raw, () => {
    ended.abort()
    release()
  })
  return ended.signal
}
