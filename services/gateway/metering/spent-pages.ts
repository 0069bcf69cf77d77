/** Checks whether a client that starts a crawl has a page left. The run itself enforces the number. */
import { hash } from 'node:crypto'
import { hasNoPageLimit, limitsOf, type Terms } from '@tidemark/contracts/limits'
import type { StartRefusal } from '@tidemark/contracts/rpc/runs'
import type { ApiProblem } from '../http/domain/problem.ts'
import { problemOf } from '../http/requests/problem-of.ts'
import type { Metering, Payer } from './adapters/metering.ts'

/** Returns the error for the start; null: a page is left, or that is unknown. */
export async function spentPages(
  { reserve, release }: Pick<Metering, 'reserve' | 'release'>,
  { caller, id }: { caller: Payer & Terms; id: string },
  idempotencyKey: string | null = null,
): Promise<ApiProblem | null> {
  if (hasNoPageLimit(limitsOf(caller))) return null
  // Requests with the same key are one start and share a reservation, so that none takes the last page from another.
  const requestId = idempotencyKey === null ? id : `start ${hash('sha256', idempotencyKey)}`
  try {
    await reserve(caller, { requestId, kind: 'page', units: 1 })
    release(caller, requestId)
    return null
  } catch (error) {
    const problem = problemOf(error)
    return problem.code === 'too_many_requests' ? problem : null
  }
}

/**
 * Returns the error as a field of a request. The service that receives the request throws the error, unless it returns
 * an earlier run instead.
 */
export const refusing = (spent: ApiProblem | null): { refusal?: StartRefusal } =>
  spent === null ? {} : { refusal: refusalOf(spent) }

const refusalOf = ({ status, code, reason, message, retryAfterSeconds }: ApiProblem): StartRefusal => ({
  status,
  code,
  message,
  ...(reason !== undefined && { reason }),
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
})
