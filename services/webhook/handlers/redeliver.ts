/** Commands to tell something once more: one delivery, or all of a project that died since a time. */
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
  deliveriesOf: (projectId: number, runId: number) => Promise<WebhookDelivery[]>
  /** Told after the commit; `isUrgent` when somebody waits for it. */
  begun: (again: Again[], isUrgent: boolean) => void
}

const maxAtOnce = 1_000
/** In one transaction. */
const part = 100

/**
 * Refuses with `conflict` what is being told (`delivery_under_way`), was held back (`delivery_suppressed`), or was
 * told as often as anything is (`too_many_redeliveries`).
 */
export const redeliver =
  ({ redeliveries, deliveriesOf, begun }: Ports) =>
  async ({ projectId, runId, deliveryId }: Redeliver): Promise<RedeliverAnswer> => {
    const again = await redeliveries.one(projectId, runId, deliveryId)
    if (again === 'exhausted') throw exhausted()
    // Read first, so that it says what was ordered, and not what has come of it meanwhile.
    const all = await deliveriesOf(projectId, runId).finally(() => again && begun([again], true))
    const delivery = all.find(({ id }) => id === deliveryId) ?? null
    if (again === null && delivery !== null) throw conflict(delivery)
    return { delivery }
  }

/** What is left to be told goes out in its turn, beside what others are told. */
export const redeliverDead =
  ({ redeliveries, begun }: Ports) =>
  async ({ projectId, since }: RedeliverDead): Promise<RedeliverDeadAnswer> => {
    let redelivered = 0
    while (redelivered < maxAtOnce) {
      const again = await redeliveries.dead(projectId, since, part)
      begun(again, false)
      redelivered += again.length
      if (again.length < part) break
    }
    return { redelivered, left: await redeliveries.countDead(projectId, since) }
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
        message: 'This webhook was suppressed because nothing changed, so there is nothing to redeliver.',
      })
    : refuse('conflict', {
        reason: 'delivery_under_way',
        message: 'This delivery is in progress. Wait until it is delivered or dead.',
      })
