/** Tells what is in the queue, and puts into it what is missing there. */
import { jsonParser } from '@tidemark/bus/codec'
import { consume } from '@tidemark/bus/consume'
import { consumers, streams } from '@tidemark/contracts/subjects'
import { Delivery } from '@tidemark/contracts/work/delivery'
import { announce, findOverdue } from '../adapters/announcements.ts'
import { openDeliveries } from '../adapters/deliveries.ts'
import { openReceiver } from '../adapters/receiver.ts'
import { deliver } from '../handlers/deliver.ts'
import { announceOverdue } from '../policies/announce-overdue.ts'
import { afterGrace, type Parts, publishSoon } from './parts.ts'

/** For what follows an answer until it is recorded; after that the sender is taken for dead. */
const recordingMs = 5_000
const overdueMs = 1_000

export async function startDelivering(parts: Parts): Promise<void> {
  await Promise.all([tell(parts), announceMissing(parts)])
}

function tell({ settings, bus, db, client, outbox, secrets, gate, signal, report }: Parts): Promise<void> {
  const timeoutMs = settings.WEBHOOK_TIMEOUT_MS
  return consume(bus, {
    stream: streams.deliveries,
    consumer: consumers.webhook,
    parse: jsonParser(Delivery),
    handle: deliver({
      deliveries: openDeliveries(db.pool),
      gate,
      secretsOf: secrets.secretsOf,
      send: openReceiver(client, { timeoutMs, signal: afterGrace(signal) }),
      rules: {
        waitsMs: settings.WEBHOOK_WAITS_MS,
        retriedStatuses: settings.WEBHOOK_RETRIED_STATUSES,
        chance: Math.random,
      },
      leaseMs: timeoutMs + recordingMs,
      publishSoon: publishSoon(outbox),
    }),
    concurrency: settings.WEBHOOK_IN_FLIGHT,
    signal,
    report,
  })
}

function announceMissing({ settings, bus, db, gate, signal, report }: Parts): Promise<void> {
  const limits = { graceMs: overdueMs, perHost: settings.WEBHOOK_HOST_IN_FLIGHT }
  return announceOverdue({
    findOverdue: () => findOverdue(db.pool, { ...limits, broken: gate.broken() }),
    announce: rows => announce(bus, db.pool, rows),
    signal,
    report,
  })
}
