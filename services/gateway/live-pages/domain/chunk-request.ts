/** The rule of a request for chunks that its schema cannot express. */
import type { ChunkRequest } from '@tidemark/contracts/http/chunks'
import { refusal } from '../../http/domain/refusal.ts'

/**
 * Throws ApiProblem if the overlap exceeds half of a chunk.
 * @param field the name of the overlap in the request
 */
export function assertOverlap({ max_tokens, overlap = 0 }: ChunkRequest, field: string): void {
  const maxOverlap = Math.floor(max_tokens / 2)
  if (overlap <= maxOverlap) return
  throw refusal(
    field,
    'out_of_range',
    `${field} is ${overlap}, but may be at most ${maxOverlap}, half of the maximum of a chunk. Lower it, or raise the maximum.`,
  )
}
