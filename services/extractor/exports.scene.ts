/** Extractors that write exports, with real servers and a fake projector that lists the pages of runs. */
import type { ChildProcess } from 'node:child_process'
import fs from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '@tidemark/bus/refusal'
import { call, serve } from '@tidemark/bus/rpc'
import { openContent } from '@tidemark/content/store'
import type { ExportCommit } from '@tidemark/contracts/exports/events'
import type { ExportSink } from '@tidemark/contracts/http/export-sink'
import type { ExportFormat, ExportSelection } from '@tidemark/contracts/http/exports'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import type { RequestExport, StoredView } from '@tidemark/contracts/rpc/exports'
import * as exportsRpc from '@tidemark/contracts/rpc/exports'
import * as usageRpc from '@tidemark/contracts/rpc/usage'
import type { ModelCalled, ServedCommit } from '@tidemark/contracts/served'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { jetStreamEventStore } from '@tidemark/eventstore/jetstream'
import { sealer } from '@tidemark/secrets/seal'
import type { ObjectStore } from '@tidemark/testing/object-store'
import { surroundings } from '@tidemark/testing/surroundings'
import { until } from '@tidemark/testing/until'
import type { Test } from 'tap'
import { database } from './database.ts'
import { at, firstId, listed, stored, urlOf } from './exported-pages.examples.ts'
import { startService } from './service.ts'

const secretsKey = '0'.repeat(64)
const unreachableRedis = 'redis://127.0.0.1:1'
const timeoutMs = 10_000

export const projectId = 7

type Run = {
  pages: number
  bytes: number
  isActive: boolean
  isDeleted: boolean
  /** Numbers of the pages that are challenges. */
  blocked?: number[]
  /** Default: `at`. */
  endedAt?: string
  /** Called before each listing, with the number of listings so far. */
  onListing?: (before: number) => void
  listings?: number
}

export async function startScene(t: Test) {
  const around = await surroundings(t, { database, declare: declareStreams })
  const { bus, pool, stack } = around
  const stop = new AbortController()
  stack.defer(() => stop.abort())
  const runs = new Map<number, Run>()
  const content = openContent(pool)
  const store = jetStreamEventStore(bus, streams.exports)
  const env = {
    REDIS_URL: unreachableRedis,
    SECRETS_KEY: secretsKey,
    EGRESS_ALLOW: '127.0.0.1/32',
    EXPORT_LEASE_SECONDS: '2',
    EXPORT_SWEEP_SECONDS: '1',
    CONTENT_TIMEOUT_MS: '10000',
  }
  void serve(
    bus,
    exportsRpc.listExportPages,
    async ({ runId, projectId: pending, after, limit, select }) => {
      const run = runs.get(runId)
      if (run === undefined || run.isDeleted || pending !== projectId) return { run: null, pages: [] }
      run.listings ??= 0
      run.onListing?.(run.listings++)
      const first = Math.max(0, after - firstId(runId) + 1)
      const pages = Array.from({ length: Math.max(0, Math.min(limit, run.pages - first)) }, (_, n) =>
        listed(runId, first + n, run.bytes, run.blocked?.includes(first + n)),
      )
      const finishedAt = run.isActive ? null : (run.endedAt ?? at)
      return {
        run: { url: urlOf(runId, 0), status: 'done', startedAt: at, finishedAt },
        pages: pages.filter(({ status }) => select.status?.includes(status) ?? true),
      }
    },
    { signal: stop.signal, report: () => {} },
  )

  const models = {
    /** The hosts to which the project has consented; null: the project has not consented. */
    consent: null as string | null,
    /** The names of the reserved calls. `callsLeft` is the number of calls that are left today. */
    reserved: [] as string[],
    callsLeft: Number.POSITIVE_INFINITY,
    cap: 1_000,
  }
  void serve(
    bus,
    accountsRpc.readModelConsent,
    async () => ({ consent: models.consent === null ? null : { host: models.consent, by: 'k', at } }),
    { signal: stop.signal, report: () => {} },
  )
  void serve(
    bus,
    usageRpc.reserveModelCall,
    async ({ requestId }) => {
      const granted = models.callsLeft-- > 0
      if (granted) models.reserved.push(requestId)
      return { granted, cap: models.cap, retryAfterSeconds: 2 }
    },
    { signal: stop.signal, report: () => {} },
  )

  const scene = {
    bus,
    pool,
    runs,
    models,

    /** Returns the calls of models that were billed. */
    async billed(): Promise<ModelCalled['data'][]> {
      const served = jetStreamEventStore(bus, streams.served)
      const { commits } = await served.load<ServedCommit>(subjects.served(projectId))
      return commits
        .flatMap(({ commit }) => commit.events)
        .flatMap(event => (event.type === 'ModelCalled' ? [event.data] : []))
    },

    /** Stores a run of pages with bodies of about this size. */
    async addRun(runId: number, pages: number, bytes: number): Promise<void> {
      runs.set(runId, { pages, bytes, isActive: false, isDeleted: false })
      const atOnce = 500
      for (let from = 0; from < pages; from += atOnce)
        await content.storePages(
          Array.from({ length: Math.min(atOnce, pages - from) }, (_, n) => stored(runId, from + n, bytes)),
        )
    },

    /** Starts an extractor in this process. It stops with the test. */
    async start(more: Record<string, string> = {}): Promise<AsyncDisposable> {
      const ending = new AbortController()
      const service = await startService({ ...around.env, ...env, ...more }, ending.signal)
      const running = new AsyncDisposableStack()
      running.use(service)
      running.defer(() => ending.abort())
      return stack.use(running)
    },

    /** Starts an extractor that can be killed. */
    spawn: (more: Record<string, string> = {}): ChildProcess =>
      around.spawn(join(import.meta.dirname, 'main.ts'), { ...env, ...more }),

    async request(runId: number, format: ExportFormat, more: Partial<RequestExport> = {}) {
      const wanted: RequestExport = {
        ...{ projectId, runId, format, select: {}, sink: { type: 'download' }, credentials: null },
        ...{ idempotencyKey: null, fingerprint: 'a', ...more },
      }
      return onceServed(() => call(bus, exportsRpc.requestExport, wanted, { timeoutMs }))
    },

    /** Requests an export to an object of the store. */
    async send(
      runId: number,
      to: Pick<ObjectStore, 'env'>,
      key: string,
      select: ExportSelection = {},
    ): Promise<StoredView> {
      const { sink, credentials } = bucketOf(to, key)
      return (await scene.request(runId, 'jsonl', { select, sink, credentials })).export
    },

    get: async (exportId: number): Promise<StoredView | null> =>
      onceServed(
        async () => (await call(bus, exportsRpc.getExport, { projectId, exportId }, { timeoutMs })).export,
      ),

    /** Returns the export when it has ended. */
    async ended(exportId: number, limitMs = 60_000): Promise<StoredView> {
      let view: StoredView | null = null
      await until(async () => {
        const { rows } = await pool.query<{ state: string }>(
          'select state from content.export where id = $1',
          [exportId],
        )
        return !['queued', 'running'].includes(rows[0]?.state ?? 'gone')
      }, limitMs)
      view = await scene.get(exportId)
      if (view === null) throw new Error(`there is no export ${exportId}`)
      return view
    },

    /** Returns the file of a download. */
    async file(exportId: number): Promise<Buffer> {
      const { rows } = await pool.query<{ data: Buffer }>(
        'select data from content.export_part where export_id = $1 order by number',
        [exportId],
      )
      return Buffer.concat(rows.map(({ data }) => data))
    },

    parts: async (exportId: number): Promise<number> =>
      (await pool.query('select from content.export_part where export_id = $1', [exportId])).rowCount ?? 0,

    hasEvents: async (exportId: number): Promise<boolean> =>
      (await store.load<ExportCommit>(subjects.export(exportId))).commits.length > 0,

    /** Returns the names of the events of an export once there are `count` events, and all commits as text. */
    async events(exportId: number, count: number): Promise<{ names: string[]; text: string }> {
      let commits: ExportCommit[] = []
      await until(async () => {
        const loaded = await store.load<ExportCommit>(subjects.export(exportId))
        commits = loaded.commits.map(({ commit }) => commit)
        return commits.length >= count
      })
      return {
        names: commits.flatMap(({ events }) => events.map(({ type }) => type)),
        text: JSON.stringify(commits),
      }
    },
  }
  return scene
}

/** Repeats a request for at most a minute, until an extractor that was just started serves it. */
async function onceServed<Result>(request: () => Promise<Result>): Promise<Result> {
  for (const end = performance.now() + 60_000; ; await sleep(100)) {
    try {
      return await request()
    } catch (error) {
      const isStarting = error instanceof Refusal && error.code === 'unavailable'
      if (!isStarting || performance.now() > end) throw error
    }
  }
}

export const secretOf = (to: ObjectStore): string => to.env.S3_SECRET_ACCESS_KEY

export function bucketOf(
  { env }: Pick<ObjectStore, 'env'>,
  key: string,
): { sink: Extract<ExportSink, { type: 's3' }>; credentials: string } {
  const keys = { accessKeyId: env.S3_ACCESS_KEY_ID, secretAccessKey: env.S3_SECRET_ACCESS_KEY }
  return {
    sink: { type: 's3', endpoint: env.S3_ENDPOINT, bucket: env.S3_BUCKET, region: env.S3_REGION, key },
    credentials: sealer(secretsKey).seal(JSON.stringify(keys)),
  }
}

/** Returns the peak resident memory of a process in bytes. */
export async function peakMemory({ pid }: ChildProcess): Promise<number> {
  const status = await fs.readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024
}
