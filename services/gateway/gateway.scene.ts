/**
 * How everything around the gateway behaves in its tests: a database and a bus of their own, the real projector,
 * and for each service behind it a stand-in on the real bus that gives the few answers the gateway needs.
 */
import { createHash } from 'node:crypto'
import { answer, type Refusal } from '@tidemark/bus/ask'
import { decodeJson } from '@tidemark/bus/codec'
import { type Bus, openBus } from '@tidemark/bus/connection'
import { beat } from '@tidemark/bus/heartbeat'
import { publish } from '@tidemark/bus/publish'
import { openContent } from '@tidemark/content/store'
import { contentTables } from '@tidemark/content/tables'
import { checkOf } from '@tidemark/contracts/api-key'
import type { FindKey, FindKeyAnswer, KeyView } from '@tidemark/contracts/ask/accounts'
import type {
  CancelRun,
  CancelRunAnswer,
  GetRun,
  GetRunAnswer,
  RunStartedAnswer,
  StartRun,
} from '@tidemark/contracts/ask/runs'
import type {
  ReadUsage,
  ReadUsageAnswer,
  ReserveUnits,
  ReserveUnitsAnswer,
} from '@tidemark/contracts/ask/usage'
import type { WebhookSecret, WebhookSecretAnswer } from '@tidemark/contracts/ask/webhook'
import { services } from '@tidemark/contracts/heartbeat'
import type { RunView } from '@tidemark/contracts/http/crawls'
import type { RunEvent } from '@tidemark/contracts/run'
import { asks, streams, subjects } from '@tidemark/contracts/subjects'
import { migrate } from '@tidemark/db/migrate'
import { freshDatabase, throwawayNats } from '@tidemark/testing/servers'
import pg from 'pg'
import type { Test } from 'tap'
import { database } from './database.ts'
import { commit } from './projections/runs.examples.ts'
import { startService as startProjector } from './projector-service.ts'
import { startService } from './service.ts'

export type Surroundings = Awaited<ReturnType<typeof surroundings>>

/** A key of this project as it would be given out, with the letter repeated. */
export function keyNamed(letter: string): string {
  const text = `tmk_${letter.repeat(40)}`
  return text + checkOf(text)
}

export const keyView = (key: string, projectId: number, more: Partial<KeyView> = {}): KeyView => ({
  prefix: key.slice(0, 12),
  hash: createHash('sha256').update(key).digest('hex'),
  projectId,
  tier: 'pro',
  unlimited: false,
  expiresAt: null,
  revokedAt: null,
  ...more,
})

export async function surroundings(t: Test, { env = {} }: { env?: Record<string, string> } = {}) {
  process.env.LOG_LEVEL ??= 'silent'
  const stack = new AsyncDisposableStack()
  t.teardown(() => stack.disposeAsync())
  const nats = stack.adopt(await throwawayNats(), nats => nats.stop())
  const fresh = stack.adopt(await freshDatabase(), fresh => fresh.drop())
  const bus = stack.adopt(await openBus({ url: nats.url, name: 'test' }), bus => bus.close())
  await bus.jsm.streams.add({ name: streams.runs, subjects: [subjects.runs] })
  await bus.jsm.streams.add({ name: streams.accounts, subjects: ['accounts.*'] })
  await bus.jsm.streams.add({ name: streams.served, subjects: ['served.*'] })
  await migrate(fresh.url, database)
  const pool = stack.adopt(new pg.Pool({ connectionString: fresh.url }), pool => pool.end())
  pool.on('error', () => {})
  for (const statement of ['create schema content', ...contentTables]) await pool.query(statement)

  const stop = new AbortController()
  const standIns = standInFor(bus, stop.signal)
  stack.defer(() => stop.abort())
  const all = { SECRETS_KEY: '0'.repeat(64), NATS_URL: nats.url, DATABASE_URL: fresh.url, PORT: '0', ...env }
  const projector = await startProjector(all, stop.signal)
  const gateway = await startService(all, stop.signal)
  stack.defer(() => projector[Symbol.asyncDispose]())
  stack.defer(() => gateway[Symbol.asyncDispose]())
  return {
    url: gateway.url,
    bus,
    nats,
    pool,
    content: openContent(pool),
    standIns,
    stop: () => stack.disposeAsync(),
  }
}

/** What the stand-ins know; tests change it as they like. */
export type StandIns = {
  keys: Map<string, KeyView>
  /** Runs that only the coordinator knows so far, by project and id. */
  runs: Map<string, RunView>
  starts: StartRun[]
  /** What startRun refuses with, when set. */
  refusal: Refusal | null
  /** Whether a started run gets its first event. */
  isPublishing: boolean
  usage: ReadUsageAnswer
  /** What a request is granted that asks to spend units. */
  grant: (asked: ReserveUnits) => ReserveUnitsAnswer
  beating: Disposable[]
  keysAsked: number
}

function standInFor(bus: Bus, signal: AbortSignal): StandIns {
  const others = services.filter(service => service !== 'gateway' && service !== 'projector')
  const nothing = { pages: 0, cloudPages: 0, cloudCostUsd: 0 }
  const known: StandIns = {
    keys: new Map(),
    runs: new Map(),
    starts: [],
    refusal: null,
    isPublishing: true,
    usage: { today: nothing, month: nothing },
    grant: ({ units }) => ({ granted: units, reason: null, retryAfterSeconds: null }),
    beating: others.map(service => beat(bus, { service, instance: 'stand-in' })),
    keysAsked: 0,
  }
  const answering = { signal, report: () => {} }
  const on = <Q, A>(subject: string, handler: (question: Q) => Promise<A>) =>
    void answer<Q, A>(bus, subject, 'stand-in', handler, {
      ...answering,
      parse: data => decodeJson(data) as Q,
    })
  on<FindKey, FindKeyAnswer>(asks.findKey, async ({ prefix }) => {
    known.keysAsked++
    return { key: known.keys.get(prefix) ?? null }
  })
  on<StartRun, RunStartedAnswer>(asks.startRun, question => start(bus, known, question))
  on<GetRun, GetRunAnswer>(asks.getRun, async ({ projectId, runId }) => ({
    run: known.runs.get(`${projectId}/${runId}`) ?? null,
  }))
  on<CancelRun, CancelRunAnswer>(asks.cancelRun, async ({ projectId, runId }) => {
    const run = known.starts[runId - 1]?.projectId === projectId ? cancelled(runId) : null
    return { run, sequence: 0 }
  })
  on<ReadUsage, ReadUsageAnswer>(asks.readUsage, async () => known.usage)
  on<ReserveUnits, ReserveUnitsAnswer>(asks.reserveUnits, async asked => known.grant(asked))
  on<WebhookSecret, WebhookSecretAnswer>(asks.webhookSecret, async ({ projectId }) => ({
    secretHex: String(projectId).padStart(2, '0').repeat(32),
  }))
  signal.addEventListener('abort', () => known.beating.forEach(beating => void beating[Symbol.dispose]()))
  return known
}

function cancelled(id: number): RunView {
  return {
    id,
    url: seed,
    status: 'cancelled',
    page_count: 0,
    error_count: 0,
    enqueued_at: '2026-01-02T03:04:05.678Z',
    started_at: null,
    finished_at: '2026-01-02T03:04:06.678Z',
    error_message: null,
    stop_reason: 'cancelled',
    proxy_url: null,
    ai_bot_policy: null,
    llms_txt: null,
    llms_full_txt: null,
    webhook_status: null,
    webhook_attempts: 0,
    webhook_last_error: null,
    previous_run_id: null,
  }
}

/** Does for an idempotency key what the coordinator does, as far as an answer shows it. */
async function start(bus: Bus, known: StandIns, question: StartRun): Promise<RunStartedAnswer> {
  if (known.refusal) throw known.refusal
  const { projectId, tier, url, settings, idempotencyKey, fingerprint } = question
  const before = known.starts.findIndex(
    ({ idempotencyKey: key, projectId: project }) =>
      key !== null && key === idempotencyKey && project === projectId,
  )
  const original = known.starts[before]
  const id = original ? before + 1 : known.starts.push(question)
  const event: RunEvent = { type: 'RunQueued', data: { runId: id, projectId, tier, url, settings } }
  const at = '2026-01-02T03:04:05.678Z'
  const payload = JSON.stringify({ at, events: [event] })
  const sequence =
    original || !known.isPublishing ? 1 : (await publish(bus, subjects.run(id), payload)).sequence
  return {
    id,
    status: 'queued',
    url: original?.url ?? url,
    enqueuedAt: at,
    sequence: known.isPublishing ? sequence : Number.MAX_SAFE_INTEGER,
    replayed: original !== undefined,
    sameRequest: original === undefined || original.fingerprint === fingerprint,
  }
}

/** Where crawls begin in these tests; nobody listens there. */
export const seed = 'http://127.0.0.1:8099/'

export type Call = {
  key?: string | null
  body?: unknown
  raw?: string | Buffer
  headers?: Record<string, string>
}
/** Requests of a client that has this key. */
export function caller({ url, bus }: Surroundings, mine: string) {
  async function call(method: string, path: string, { key = mine, body, raw, headers = {} }: Call = {}) {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(raw !== undefined && { body: raw }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : null,
    }
  }
  return {
    call,
    get: (path: string, options?: Call) => call('GET', path, options),
    post: (path: string, body: unknown) => call('POST', path, { body }),
    /** Appends a commit to a run, as the coordinator does. */
    append: (runId: number, ...events: object[]) =>
      publish(bus, subjects.run(runId), commit(runId, 10, ...events).payload),
  }
}
