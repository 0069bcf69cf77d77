/** Whether whoever would start a crawl has a page left to spend. How many it spends the run itself is held to. */
import { hash } from 'node:crypto'
import { hasNoPageLimit, limitsOf, type Terms } from '@tidemark/contracts/limits'
import type { StartRefusal } from '@tidemark/contracts/rpc/runs'
import type { ApiProblem } from '../http/domain/problem.ts'
import { problemOf } from '../http/plugins/problem-of.ts'
import type { Metering, Payer } from './adapters/metering.ts'

/** What the start is refused with; null where a page is left, or nobody can tell. */
export async function spentPages(
  { reserve, release }: Pick<Metering, 'reserve' | 'release'>,
  { caller, id }: { caller: Payer & Terms; id: string },
  idempotencyKey: string | null = null,
): Promise<ApiProblem | null> {
  if (hasNoPageLimit(limitsOf(caller))) return null
  // Requests of one key are one start: the last page is not taken by one of them from another.
  const requestId = idempotencyKey === null ? id : `start ${hash('sha256', idempotencyKey)}`
  try {
    await reserve(caller, { requestId, kind: 'page', units: 1 })
    await release(caller, requestId)
    return null
  } catch (error) {
    const problem = problemOf(error)
    return problem.code === 'too_many_requests' ? problem : null
  }
}

/** For whoever knows whether something was started before, which is returned in its place. */
export const refusing = (spent: ApiProblem | null): { refusal?: StartRefusal } =>
  spent === null ? {} : { refusal: refusalOf(spent) }

const refusalOf = ({ status, code, reason, message, retryAfterSeconds }: ApiProblem): StartRefusal => ({
  status,
  code,
  message,
  ...(reason !== undefined && { reason }),
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
})
