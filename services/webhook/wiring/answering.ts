/** Answers what the gateway asks: secrets, what became of deliveries, and to tell something again or for a trial. */
import { answer } from '@tidemark/bus/ask'
import { jsonParser } from '@tidemark/bus/codec'
import { ForgetProject, type ForgottenAnswer } from '@tidemark/contracts/ask/forget'
import type { Reached } from '@tidemark/contracts/ask/runs'
import {
  ListDeliveries,
  type ListDeliveriesAnswer,
  Redeliver,
  RedeliverDead,
  RotateWebhookSecret,
  TestWebhook,
  WebhookSecret,
  type WebhookSecretAnswer,
} from '@tidemark/contracts/ask/webhook'
import { asks } from '@tidemark/contracts/subjects'
import { readCheckpoint } from '@tidemark/db/checkpoint'
import type { Static, TSchema } from 'typebox'
import { announce } from '../adapters/announcements.ts'
import { deliveriesOf } from '../adapters/delivery-views.ts'
import { openReceiver } from '../adapters/receiver.ts'
import { type Again, openRedeliveries } from '../adapters/redelivery.ts'
import { redeliver, redeliverDead } from '../handlers/redeliver.ts'
import { testWebhook } from '../handlers/test-webhook.ts'
import { tenantShares } from '../turns/tenant-shares.ts'
import { policy } from './deciding.ts'
import { afterGrace, type Parts, publishSoon } from './parts.ts'

const name = 'webhook'

/** Somebody waits for a sample, and no longer than this. */
const longestSampleMs = 15_000
const samplesOfProject = 5

export async function answerQuestions(parts: Parts): Promise<void> {
  const { bus, db, secrets, signal, report } = parts
  const on = <Question extends TSchema, A>(
    subject: string,
    question: Question,
    handle: (question: Static<Question>) => Promise<A>,
  ) => answer(bus, subject, name, handle, { parse: jsonParser(question), signal, report })
  const read = deliveriesOf(db.pool)
  const reached = async (): Promise<Reached> => ({ sequence: await readCheckpoint(db.pool, policy) })
  const redelivering = { redeliveries: openRedeliveries(db.pool), deliveriesOf: read, begun: begun(parts) }
  await Promise.all([
    on(asks.webhookSecret, WebhookSecret, async ({ projectId }): Promise<WebhookSecretAnswer> => {
      const [secretHex] = await secrets.secretsOf(projectId)
      return { secretHex }
    }),
    on(
      asks.rotateWebhookSecret,
      RotateWebhookSecret,
      async ({ projectId, graceSeconds }): Promise<WebhookSecretAnswer> => ({
        secretHex: await secrets.rotate(projectId, graceSeconds),
      }),
    ),
    on(
      asks.listDeliveries,
      ListDeliveries,
      async ({ projectId, runId }): Promise<ListDeliveriesAnswer> => ({
        deliveries: await read(projectId, runId),
      }),
    ),
    on(asks.redeliver, Redeliver, redeliver(redelivering)),
    on(asks.redeliverDead, RedeliverDead, redeliverDead(redelivering)),
    on(asks.testWebhook, TestWebhook, testWebhook(samples(parts))),
    on(
      asks.forgetSecrets,
      ForgetProject,
      async ({ projectId }): Promise<ForgottenAnswer> => ({
        forgotten: await secrets.forget(projectId),
      }),
    ),
    answer(bus, asks.reached('webhook'), name, reached, { parse: () => null, signal, report }),
  ])
}

/** What nobody waits for goes out in its turn, beside what others are told. */
const begun =
  ({ bus, db, outbox, report }: Parts) =>
  (again: Again[], isUrgent: boolean): void => {
    for (const { outboxId } of again) publishSoon(outbox)(outboxId)
    if (isUrgent) void announce(bus, db.pool, again).catch(report)
  }

function samples({ settings, client, secrets, signal }: Parts) {
  const timeoutMs = Math.min(settings.WEBHOOK_TIMEOUT_MS, longestSampleMs)
  return {
    secretsOf: secrets.secretsOf,
    send: openReceiver(client, { timeoutMs, signal: afterGrace(signal) }),
    shares: tenantShares(samplesOfProject),
  }
}
