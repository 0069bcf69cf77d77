/** Redelivers one webhook, or all of a project that died since a time. */
import { refuse } from '@tidemark/bus/refusal'
import type { WebhookDelivery } from '@tidemark/contracts/http/webhook'
import type {
  Redeliver,
  RedeliverDead,
  RedeliverDeadResponse,
  RedeliverResponse,
} from '@tidemark/contracts/rpc/webhook'
import { type Again, maxRounds, type Redeliveries } from '../adapters/redelivery.ts'

export type Ports = {
  redeliveries: Redeliveries
  findDelivery: (wanted: Redeliver) => Promise<WebhookDelivery | null>
  /**
   * Publishes the events of restarted deliveries after the commit. Resolves within a time limit with the position of the
   * last event of a run; null: not known yet, or no run has one.
   */
  publish: (again: Again[]) => Promise<number | null>
  /** Announces restarted deliveries for which a client waits. */
  announce: (again: Again[]) => void
}

const maxAtOnce = 1_000
/** Maximum number of deliveries in one transaction. */
const maxBatch = 100

/**
 * Redelivers one webhook. Rejects with `conflict` if the delivery is in progress (`delivery_under_way`), was suppressed
 * (`delivery_suppressed`), or had `maxRounds` rounds (`too_many_redeliveries`).
 */
export const redeliver =
  ({ redeliveries, findDelivery, publish, announce }: Ports) =>
  async (wanted: Redeliver): Promise<RedeliverResponse> => {
    const { projectId, runId, deliveryId } = wanted
    const again = await redeliveries.one(projectId, runId, deliveryId)
    if (again === 'exhausted') throw exhausted()
    const published = again && publish([again])
    // Read before the first attempt, so that the response shows the ordered delivery and not a later state.
    const delivery = await findDelivery(wanted).finally(() => again && announce([again]))
    if (again === null && delivery !== null) throw conflict(delivery)
    return { delivery, ...positionOf([await published]) }
  }

/**
 * Redelivers at most 1000 dead webhooks. They share the slots with the deliveries of other projects. A redelivery that
 * dies during the call is not restarted again.
 */
export const redeliverDead =
  ({ redeliveries, publish }: Ports) =>
  async ({ projectId, since }: RedeliverDead): Promise<RedeliverDeadResponse> => {
    const died = { since, until: await redeliveries.now() }
    const published: Promise<number | null>[] = []
    let redelivered = 0
    while (redelivered < maxAtOnce) {
      const again = await redeliveries.dead(projectId, died, maxBatch)
      published.push(publish(again))
      redelivered += again.length
      if (again.length < maxBatch) break
    }
    const left = await redeliveries.countDead(projectId, died)
    return { redelivered, left, ...positionOf(await Promise.all(published)) }
  }

function positionOf(sequences: readonly (number | null)[]): { sequence?: number } {
  const sequence = lastOf(sequences)
  return sequence === null ? {} : { sequence }
}

/** Returns the last of the known positions, or null. */
export function lastOf(sequences: readonly (number | null)[]): number | null {
  const known = sequences.filter(sequence => sequence !== null)
  return known.length > 0 ? Math.max(...known) : null
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
          'This webhook was suppressed because there was no change to report, so there is nothing to redeliver.',
      })
    : refuse('conflict', {
        reason: 'delivery_under_way',
        message: 'This delivery is in progress. Wait until it is delivered or dead.',
      })
