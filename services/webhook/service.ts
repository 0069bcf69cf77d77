/** webhook, wired: it decides what is told of each run, tells it, and knows the secrets that it is signed with. */
import { answer } from '@tidemark/bus/ask'
import { jsonParser } from '@tidemark/bus/codec'
import { consume } from '@tidemark/bus/consume'
import { readSettings } from '@tidemark/config/settings'
import type { Reached } from '@tidemark/contracts/ask/runs'
import { WebhookSecret, type WebhookSecretAnswer } from '@tidemark/contracts/ask/webhook'
import { asks, consumers, streams } from '@tidemark/contracts/subjects'
import { Delivery } from '@tidemark/contracts/work/delivery'
import { readCheckpoint } from '@tidemark/db/checkpoint'
import { type Relay, relay } from '@tidemark/db/outbox'
import { type ProjectionEnd, runProjection } from '@tidemark/db/projector'
import { type Serving, serve } from '@tidemark/db/serve'
import { createClient, type HttpClient } from '@tidemark/http/client'
import { createGuard } from '@tidemark/http/guard'
import { resolverOf } from '@tidemark/http/resolve'
import { sealer } from '@tidemark/secrets/seal'
import { createLog } from '@tidemark/telemetry/log'
import { announce, findOverdue } from './adapters/announcements.ts'
import { openDeliveries } from './adapters/deliveries.ts'
import { openReceiver } from './adapters/receiver.ts'
import { secretOf } from './adapters/secrets.ts'
import { database } from './database.ts'
import { deliver } from './handlers/deliver.ts'
import { hostTurns } from './handlers/host-turns.ts'
import { announceOverdue } from './policies/announce-overdue.ts'
import { type Decisions, decideDeliveries } from './policies/decide-deliveries.ts'
import { Settings } from './settings.ts'

const name = 'webhook'
const { schema } = database
const policy = { schema, projection: 'decide-deliveries', partition: 'all', stream: streams.runs }

/** What is being sent when told to stop may end within this; then it counts as interrupted and is tried again. */
const graceMs = 6_000
/** For what follows an answer until it is recorded; after that the sender is taken for dead. */
const recordingMs = 5_000
/** Then the next one for that host is put off, and its place goes to another host. */
const hostPatienceMs = 1_000
const overdueMs = 1_000

/** Rejects with SettingsError, or when bus or database cannot be reached. */
export async function startService(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<AsyncDisposable> {
  const settings = readSettings(Settings, env)
  const log = createLog(name)
  const report = (error: unknown) => log.error({ err: error }, 'a delivery could not be handled')
  return serve({ name, settings, database, poolSize: 10, report }, signal, serving => {
    const { bus, db, started } = serving
    const client = started.use(openClient(settings))
    const relayStop = new AbortController()
    const outbox = relay({ bus, pool: db.pool, schema, signal: relayStop.signal, report })
    started.defer(() => outbox.close())
    started.defer(() => relayStop.abort())
    const parts: Parts = { ...serving, settings, client, outbox }
    const deciding = startDeciding(parts)
    const working = [deciding.ended, startDelivering(parts), startAnnouncing(parts), answerQuestions(parts)]
    return { ended: Promise.all(working), check: deciding.fault }
  })
}

type Parts = Serving & { settings: Settings; client: HttpClient; outbox: Relay }

/** What is committed but not published goes out by itself, a little later. */
const publishSoon = (outbox: Relay) => (id: number) => void outbox.publishNow(id).catch(() => {})

/** `fault` names what keeps it from deciding. */
function startDeciding({ bus, db, outbox, signal, report }: Parts) {
  let fresh: Decisions = { toDeliver: [], outboxIds: [] }
  const underWay = new Set<Promise<void>>()
  const onCommitted = () => {
    fresh.outboxIds.forEach(publishSoon(outbox))
    const rows = fresh.toDeliver.map(runId => ({ runId, announced: 0 }))
    const announcing = announce(bus, db.pool, rows)
      .catch(report)
      .finally(() => underWay.delete(announcing))
    underWay.add(announcing)
  }
  const decided = (decisions: Decisions) => {
    fresh = decisions
  }
  const apply = decideDeliveries({ decided, report })
  const { projection, ...place } = policy
  const reading = { bus, pool: db.pool, ...place, name: projection, filter: 'runs.*.*.crawl' }
  let end: ProjectionEnd | null = null
  const ended = runProjection({ ...reading, apply, onCommitted, signal, report }).then(async how => {
    end = how
    await Promise.all(underWay)
  })
  const fault = () =>
    end === 'stream-went-backwards' ? `${streams.runs} ends before what was read of it` : null
  return { ended, fault }
}

function startDelivering({ settings, bus, db, client, outbox, signal, report }: Parts): Promise<void> {
  const timeoutMs = settings.WEBHOOK_TIMEOUT_MS
  const send = openReceiver(client, { timeoutMs, signal: after(signal, graceMs) })
  return consume(bus, {
    stream: streams.deliveries,
    consumer: consumers.webhook,
    parse: jsonParser(Delivery),
    handle: deliver({
      deliveries: openDeliveries(db.pool),
      turns: hostTurns(settings.WEBHOOK_HOST_IN_FLIGHT, hostPatienceMs),
      secretOf: secretOf(db.pool, sealer(settings.SECRETS_KEY)),
      send,
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

function startAnnouncing({ settings, bus, db, signal, report }: Parts): Promise<void> {
  const limits = { graceMs: overdueMs, perHost: settings.WEBHOOK_HOST_IN_FLIGHT }
  return announceOverdue({
    findOverdue: () => findOverdue(db.pool, limits),
    announce: rows => announce(bus, db.pool, rows),
    signal,
    report,
  })
}

async function answerQuestions({ settings, bus, db, signal, report }: Parts): Promise<void> {
  const secret = secretOf(db.pool, sealer(settings.SECRETS_KEY))
  const tell = async ({ projectId }: WebhookSecret): Promise<WebhookSecretAnswer> => ({
    secretHex: await secret(projectId),
  })
  const reached = async (): Promise<Reached> => ({ sequence: await readCheckpoint(db.pool, policy) })
  const parse = jsonParser(WebhookSecret)
  await Promise.all([
    answer(bus, asks.webhookSecret, name, tell, { parse, signal, report }),
    answer(bus, asks.reached('webhook'), name, reached, { parse: () => null, signal, report }),
  ])
}

function openClient(settings: Settings): HttpClient {
  const { EGRESS_ALLOW, SAMPLE_ORIGIN, WEBHOOK_TIMEOUT_MS, WEBHOOK_HOST_IN_FLIGHT } = settings
  return createClient({
    guard: createGuard({ allow: EGRESS_ALLOW, allowPeers: SAMPLE_ORIGIN === '' ? [] : [SAMPLE_ORIGIN] }),
    resolver: resolverOf(settings),
    connectTimeoutMs: WEBHOOK_TIMEOUT_MS,
    connectionsPerOrigin: WEBHOOK_HOST_IN_FLIGHT,
  })
}

/** A signal that follows another one with a delay. */
function after(signal: AbortSignal, ms: number): AbortSignal {
  const later = new AbortController()
  const abort = () => setTimeout(() => later.abort(signal.reason), ms).unref()
  signal.addEventListener('abort', abort, { once: true })
  return later.signal
}
