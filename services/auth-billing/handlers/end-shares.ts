/** Ends the shares of a crawl. */
import { refuse } from '@tidemark/bus/refusal'
import type { EndShares, EndSharesResponse } from '@tidemark/contracts/rpc/accounts'
import { endSharesOf } from '../domain/ended-shares.ts'
import type { Ports } from './rotate-key.ts'

/**
 * Ends all shares of the run that were made until now, by any key. A repetition moves the time. Rejects a
 * request by a key that is no longer valid (`unauthorized`).
 */
export const endShares =
  ({ keys, announce, trace }: Ports) =>
  async ({ projectId, by, runId }: EndShares): Promise<EndSharesResponse> => {
    let endedAt = ''
    const changed = await keys.change(projectId, trace(), (ring, at) => {
      endedAt = at
      return endSharesOf(ring, { runId, by, at })
    })
    if (changed === 'unauthorized') throw refuse('unauthorized')
    await announce(changed.outboxId)
    return { at: endedAt }
  }
