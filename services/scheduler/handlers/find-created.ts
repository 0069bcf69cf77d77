/** The monitor that an idempotency key has created, for a request that is none of which a monitor could be made. */
import type { FindCreated, FindCreatedAnswer } from '@tidemark/contracts/ask/monitors'
import type { Monitors } from '../adapters/monitors.ts'
import { viewOf } from '../domain/monitor.ts'
import { deleted } from './create-monitor.ts'

/** Refuses as `createMonitor` does where that monitor was deleted (409). */
export const findCreated =
  (monitors: Pick<Monitors, 'earlier'>) =>
  async ({ projectId, idempotencyKey, fingerprint }: FindCreated): Promise<FindCreatedAnswer> => {
    const earlier = await monitors.earlier({ projectId, fingerprint: fingerprint ?? '' }, idempotencyKey)
    if (earlier === null) return { created: null }
    if (earlier.type === 'gone') throw deleted()
    const { monitor, sameRequest } = earlier
    return { created: { monitor: viewOf(monitor), replayed: true, sameRequest } }
  }
