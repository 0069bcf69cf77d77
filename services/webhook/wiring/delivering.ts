/** Sends the deliveries of the queue, and announces due deliveries that are not in it. */
import { jsonParser } from '@tidemark/bus/codec'
import { consume } from '@tidemark/bus/consume'
import { consumers, streams } from '@tidemark/contracts/subjects'
import { Delivery } from '@tidemark/contracts/work/delivery'
import { announce, findDue, stillInProgress } from '../adapters/announcements.ts'
import { openDeliveries } from '../adapters/deliveries.ts'
import { openReceiver } from '../adapters/receiver.ts'
import { deliver } from '../handlers/deliver.ts'
import { Announcer } from '../policies/announce-due.ts'
import { afterGrace, publishSoon, type WebhookParts } from './parts.ts'

/** Milliseconds to record a response. Afterwards the sender counts as crashed. */
const recordingMs = 5_000
const overdueMs = 1_000

/** Number of due deliveries that are kept ready for each slot of a host. */
const readyPerSlot = 16

/** Sends deliveries. Resolves after the signal has aborted. */
export function startDelivering({
  settings,
  bus,
  db,
  client,
  outbox,
  secrets,
  gate,
  outstanding,
  signal,
  report,
}: WebhookParts): Promise<void> {
  const timeoutMs = settings.WEBHOOK_TIMEOUT_MS
  return consume(bus, {
    stream: streams.deliveries,
    consumer: consumers.webhook,
    parse: jsonParser(Delivery),
    handle: deliver({
      deliveries: openDeliveries(db.pool, timeoutMs + recordingMs),
      gate,
      ended: outstanding.ended,
      secretsOf: secrets.secretsOf,
      send: openReceiver(client, { timeoutMs, signal: afterGrace(signal) }),
      rules: {
        waitsMs: settings.WEBHOOK_WAITS_MS,
        retriedStatuses: settings.WEBHOOK_RETRIED_STATUSES,
        chance: Math.random,
      },
      publishSoon: publishSoon(outbox),
    }),
    concurrency: settings.WEBHOOK_IN_FLIGHT,
    signal,
    report,
  })
}

/** Announces due deliveries. */
export function startAnnouncing({
  settings,
  bus,
  db,
  gate,
  outstanding,
  signal,
  report,
}: WebhookParts): Announcer {
  const limits = { graceMs: overdueMs, perHost: readyPerSlot * settings.WEBHOOK_HOST_IN_FLIGHT }
  return new Announcer({
    bus,
    find: () => findDue(db.pool, { ...limits, broken: gate.broken() }),
    stillInProgress: runIds => stillInProgress(db.pool, runIds),
    announce: rows => announce(bus, db.pool, rows),
    outstanding,
    signal,
    report,
  })
}
