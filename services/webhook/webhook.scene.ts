/**
 * Fixture of webhook: its own database and bus, and a receiver on loopback that answers by the requested path and
 * records the requests.
 */
import http from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { encodeJson } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { readStream } from '@tidemark/bus/read'
import type { DeliveryCommit, DeliveryEvent } from '@tidemark/contracts/delivery'
import type { DiffEvent, IntentJudgement } from '@tidemark/contracts/diff'
import type { RunEvent } from '@tidemark/contracts/run'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { listening } from '@tidemark/testing/listening'
import { patient } from '@tidemark/testing/slowness'
import { surroundings } from '@tidemark/testing/surroundings'
import { until } from '@tidemark/testing/until'
import type { Pool } from 'pg'
import type { Test } from 'tap'
import { database } from './database.ts'
import { firstNoticeId } from './domain/notice.ts'
import { startService } from './service.ts'

/** If true: many runs and many kills with the pauses of production, for half an hour. Otherwise a small sample. */
export const isWhole = process.env.WEBHOOK_TEST === 'whole'

/** Waits of these tests, and a timeout that suffices on a busy machine. Everything else is as in production. */
export const waitsMs = isWhole ? [1_000, 2_000, 4_000, 8_000] : [100, 200, 400, 800]
export const timeoutMs = isWhole ? 15_000 : patient(2_000)
/** Maximum time for all deliveries to end. */
export const patienceMs = isWhole ? 1_800_000 : 60_000

export type Row = {
  run_id: number
  state: string
  attempts: number
  last_error: string | null
  webhook_id: string
}

export async function startScene(t: Test) {
  const around = await surroundings(t, { database, declare: declareStreams })
  const { bus, pool, stack } = around
  const receiver = stack.adopt(await startReceiver(), receiver => receiver.close())
  const env = {
    SECRETS_KEY: '5a'.repeat(32),
    EGRESS_ALLOW: '127.0.0.1/32',
    WEBHOOK_WAITS_MS: waitsMs.join(','),
    WEBHOOK_TIMEOUT_MS: String(timeoutMs),
    // The receiver fails in every way at once here, so its breaker is disabled for a small number of runs.
    ...(!isWhole && { WEBHOOK_FAILURES_IN_A_ROW: '1000' }),
  }
  return {
    bus,
    pool,
    receiver,
    /** Starts the service in this process. It is disposed at the end of the test at the latest. */
    start: async (more: Record<string, string> = {}) =>
      stack.use(await startService({ ...around.env, ...env, ...more }, new AbortController().signal)),
    /** Starts the service in a separate process, which tests can kill. */
    spawn: (more: Record<string, string> = {}) =>
      around.spawn(join(import.meta.dirname, 'main.ts'), { ...env, ...more }),
    append: (runId: number, ...events: RunEvent[]) => append(bus, runId, events),
    /** Appends the comparison of a run, like the policy beside the projector; null: the previous run is deleted. */
    compare: (runId: number, previousRunId: number, changed: number | null) =>
      compare(bus, { runId, projectId: 1, previousRunId }, changed),
    /** Appends the judgement of a run's changes, like the policy beside the projector. */
    judge: (runId: number, previousRunId: number, judgement: IntentJudgement) =>
      appendDiff(bus, {
        type: 'IntentJudged',
        data: { runId, projectId: 1, previousRunId, ...judgement, use: null },
      }),
    rows: () => rowsOf(pool),
    facet: (runId: number) => readFacet(bus, runId),
    untilEnded: (count: number) =>
      until(async () => {
        const { rowCount } = await pool.query(`select from webhook.delivery where state <> 'pending'`)
        return (rowCount ?? 0) >= count
      }, patienceMs),
    /** Waits until everything committed is published. */
    untilPublished: () => until(async () => (await pool.query('select from webhook.outbox')).rowCount === 0),
  }
}

export type Scene = Awaited<ReturnType<typeof startScene>>

export type Hit = { path: string; at: number; headers: http.IncomingHttpHeaders; body: string }

/** Responses by the last part of the path. `attempt` counts the requests of this path, from 1. */
const behaviours: Record<string, (response: http.ServerResponse, attempt: number) => void> = {
  ok: response => response.writeHead(201).end('thanks'),
  'fails-twice': (response, attempt) => response.writeHead(attempt <= 2 ? 503 : 200).end(),
  'fails-always': response => response.writeHead(500).end('sorry'),
  'long-answer': response => response.writeHead(200).end('x'.repeat(5_000_000)),
  'cut-answer': response =>
    response.writeHead(200, { 'content-length': 9 }).write('cut', () => response.destroy()),
  'endless-answer': response => response.writeHead(202).write('wait'),
  'cut-refusal': response =>
    response.writeHead(410, { 'content-length': 9 }).write('cut', () => response.destroy()),
  hangs: () => {},
  resets: response => (response.socket as Socket).resetAndDestroy(),
  refuses: response => response.writeHead(410).end(),
  moved: response => response.writeHead(307, { location: '/ok' }).end(),
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

async function startReceiver() {
  const hits: Hit[] = []
  const server = http.createServer(async (request, response) => {
    const at = performance.now()
    const { url: path = '', headers } = request
    request.on('error', () => {})
    hits.push({ path, at, headers, body: await text(request) })
    const attempt = hits.filter(hit => hit.path === path).length
    behaviours[path.split('/').at(-1) ?? '']?.(response, attempt)
  })
  // A kept connection that closes while a busy process writes to it would cost an attempt.
  server.keepAliveTimeout = 120_000
  return { ...(await listening(server)), hits }
}

async function append(bus: Bus, runId: number, events: RunEvent[]): Promise<void> {
  await bus.js.publish(subjects.run(runId), encodeJson({ at: new Date().toISOString(), events }))
}

async function compare(
  bus: Bus,
  runs: { runId: number; projectId: number; previousRunId: number },
  changed: number | null,
): Promise<void> {
  const counts = { added: 0, removed: 0, unchanged: 50, notRevisited: 4, notCompared: 0 }
  const event: DiffEvent =
    changed === null
      ? { type: 'RunNotCompared', data: { ...runs, reason: 'previous_run_deleted' } }
      : { type: 'RunCompared', data: { ...runs, counts: { ...counts, changed } } }
  await appendDiff(bus, event)
}

async function appendDiff(bus: Bus, event: DiffEvent): Promise<void> {
  const commit = { at: new Date().toISOString(), events: [event] }
  await bus.js.publish(subjects.run(event.data.runId, 'diff'), encodeJson(commit))
}

/** Returns the deliveries about the ends of runs. */
async function rowsOf(pool: Pool): Promise<Row[]> {
  const { rows } = await pool.query<Row>(
    `select run_id::int, state, attempts, last_error, webhook_id from webhook.delivery
     where run_id < ${firstNoticeId} order by run_id`,
  )
  return rows
}

/** Returns all events of a run's webhook in order. */
async function readFacet(bus: Bus, runId: number): Promise<DeliveryEvent[]> {
  const filter = subjects.run(runId, 'webhook')
  const { state } = await bus.jsm.streams.info(streams.runs, { subjects_filter: filter })
  const wanted = Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0)
  const events: DeliveryEvent[] = []
  if (wanted === 0) return events
  const done = new AbortController()
  let seen = 0
  await readStream(bus, { stream: streams.runs, filter, from: 1, signal: done.signal }, async messages => {
    for (const { data } of messages) {
      events.push(...(JSON.parse(Buffer.from(data).toString()) as DeliveryCommit).events)
      if (++seen === wanted) done.abort()
    }
  })
  return events
}
