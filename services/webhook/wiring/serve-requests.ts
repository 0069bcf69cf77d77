/** Serves the requests of the gateway: secrets, deliveries, redeliveries and test webhooks. */
import { setTimeout as sleep } from 'node:timers/promises'
import { serve } from '@tidemark/bus/rpc'
import * as forgetRpc from '@tidemark/contracts/rpc/forget'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import * as webhookRpc from '@tidemark/contracts/rpc/webhook'
import { readCheckpoint } from '@tidemark/db/checkpoint'
import { announce } from '../adapters/announcements.ts'
import { findDelivery, listDeliveries } from '../adapters/delivery-views.ts'
import { openReceiver } from '../adapters/receiver.ts'
import { type Again, openRedeliveries } from '../adapters/redelivery.ts'
import { tenantShares } from '../concurrency/tenant-shares.ts'
import { lastOf, redeliver, redeliverDead } from '../handlers/redeliver.ts'
import { testWebhook } from '../handlers/test-webhook.ts'
import { runsProjection } from './deciding.ts'
import { afterGrace, type WebhookParts } from './parts.ts'

/** Timeout of a test webhook, for which a client waits. */
const maxSampleMs = 15_000
const samplesOfProject = 5
/** Maximum milliseconds until a redelivery is published for its caller. The relay publishes it later in any case. */
const maxPublishMs = 1_000

export async function serveRequests(parts: WebhookParts): Promise<void> {
  const { bus, db, secrets, signal, report } = parts
  const serving = { signal, report }
  const reached = async () => ({ sequence: await readCheckpoint(db.pool, runsProjection) })
  const redelivering = {
    redeliveries: openRedeliveries(db.pool),
    findDelivery: findDelivery(db.pool),
    publish: publisher(parts),
    announce: (again: Again[]) => void announce(bus, db.pool, again).catch(report),
  }
  await Promise.all([
    serve(
      bus,
      webhookRpc.webhookSecret,
      async ({ projectId }) => {
        const [secretHex] = await secrets.secretsOf(projectId)
        return { secretHex }
      },
      serving,
    ),
    serve(
      bus,
      webhookRpc.rotateWebhookSecret,
      async ({ projectId, graceSeconds }) => ({
        secretHex: await secrets.rotate(projectId, graceSeconds),
      }),
      serving,
    ),
    serve(bus, webhookRpc.listDeliveries, listDeliveries(db.pool), serving),
    serve(bus, webhookRpc.redeliver, redeliver(redelivering), serving),
    serve(bus, webhookRpc.redeliverDead, redeliverDead(redelivering), serving),
    serve(bus, webhookRpc.testWebhook, testWebhook(samples(parts)), serving),
    serve(
      bus,
      forgetRpc.forgetSecrets,
      async ({ projectId }) => ({
        forgotten: await secrets.forget(projectId),
      }),
      serving,
    ),
    serve(bus, runsRpc.reached.webhook, reached, serving),
  ])
}

/** The events of batches are in another stream, so their positions are not returned. */
const publisher =
  ({ outbox }: WebhookParts) =>
  async (again: Again[]): Promise<number | null> => {
    const late = sleep(maxPublishMs, null, { ref: false })
    const sequences = again.map(({ runId, outboxId }) => {
      const published = outboxId === null ? null : outbox.publishNow(outboxId).catch(() => null)
      return runId < 0 ? null : Promise.race([published, late])
    })
    return lastOf(await Promise.all(sequences))
  }

function samples({ settings, client, secrets, signal }: WebhookParts) {
  const timeoutMs = Math.min(settings.WEBHOOK_TIMEOUT_MS, maxSampleMs)
  return {
    secretsOf: secrets.secretsOf,
    send: openReceiver(client, { timeoutMs, signal: afterGrace(signal) }),
    shares: tenantShares(samplesOfProject),
  }
}
