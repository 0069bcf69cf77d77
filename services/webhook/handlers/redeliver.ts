/** Redelivers one webhook, or all of a project that died since a time. */
import { refuse } from '@tidemark/bus/refusal'
import type { WebhookDelivery } from '@tidemark/contracts/http/webhook'
import type {
  Redeliver,
  RedeliverAnswer,
  RedeliverDead,
  RedeliverDeadAnswer,
} from '@tidemark/contracts/rpc/webhook'
import { type Again, maxRounds, type Redeliveries } from '../adapters/redelivery.ts'

export type Ports = {
  redeliveries: Redeliveries
  deliveryOf: (wanted: Redeliver) => Promise<WebhookDelivery | null>
  /** Called after the commit; `isUrgent` if a client waits for the delivery. */
  begun: (again: Again[], isUrgent: boolean) => void
}

const maxAtOnce = 1_000
/** Maximum number of deliveries in one transaction. */
const maxBatch = 100

/**
 * Redelivers one webhook. Rejects with `conflict` if the delivery is in progress (`delivery_under_way`), was suppressed
 * (`delivery_suppressed`), or had `maxRounds` rounds (`too_many_redeliveries`).
 */
export const redeliver =
  ({ redeliveries, deliveryOf, begun }: Ports) =>
  async (wanted: Redeliver): Promise<RedeliverAnswer> => {
    const { projectId, runId, deliveryId } = wanted
    const again = await redeliveries.one(projectId, runId, deliveryId)
    if (again === 'exhausted') throw exhausted()
    // Read before the first attempt, so that the response shows the ordered delivery and not a later state.
    const delivery = await deliveryOf(wanted).finally(() => again && begun([again], true))
    if (again === null && delivery !== null) throw conflict(delivery)
    return { delivery }
  }

/**
 * Redelivers at most 1000 dead webhooks. They share the slots with the deliveries of other projects. A redelivery that
 * dies during the call is not restarted again.
 */
export const redeliverDead =
  ({ redeliveries, begun }: Ports) =>
  async ({ projectId, since }: RedeliverDead): Promise<RedeliverDeadAnswer> => {
    const died = { since, until: await redeliveries.now() }
    let redelivered = 0
    while (redelivered < maxAtOnce) {
      const again = await redeliveries.dead(projectId, died, maxBatch)
      begun(again, false)
      redelivered += again.length
      if (again.length < maxBatch) break
    }
    return { redelivered, left: await redeliveries.countDead(projectId, died) }
  }

const exhausted = () =>
  refuse('conflict', {
    reason: 'too_many_redeliveries',
    message: `This webhook was sent ${maxRounds} times, which is the limit. Read its data from the run.`,
  })

const conflict = ({ state }: WebhookDelivery) =>
  state.startsWith('suppressed')
    ? refuse('conflict', {
        reason: 'delivery_suppressed',
        message:
          'This webhook was suppressed because no change was to be reported, so there is nothing to redeliver.',
      })
    : refuse('conflict', {
        reason: 'delivery_under_way',
        message: 'This delivery is in progress. Wait until it is delivered or dead.',
      })
