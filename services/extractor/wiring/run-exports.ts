/** Part of the wiring: exports of runs, the requests for them, and the removal of ended ones. */

import type { Bus } from '@tidemark/bus/connection'
import { repeat } from '@tidemark/bus/repeat'
import { call, sendWithoutResponse, serve } from '@tidemark/bus/rpc'
import { currentTraceparent } from '@tidemark/bus/trace'
import { WakeUp } from '@tidemark/bus/wake-up'
import { openLinks } from '@tidemark/content/links'
import { openPageBatches } from '@tidemark/content/page-batches'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import * as exportsRpc from '@tidemark/contracts/rpc/exports'
import * as forgetRpc from '@tidemark/contracts/rpc/forget'
import * as usageRpc from '@tidemark/contracts/rpc/usage'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { relay } from '@tidemark/db/outbox'
import { createClient, type HttpClient } from '@tidemark/http/client'
import { createGuard } from '@tidemark/http/guard'
import { resolverOf } from '@tidemark/http/resolve'
import { sealer } from '@tidemark/secrets/seal'
import { gauge } from '@tidemark/telemetry/metrics'
import { createContentThread, withPdfs } from '../adapters/content-thread.ts'
import { openEmbeddings } from '../adapters/embeddings.ts'
import { writeOnThread } from '../adapters/exports/export-thread.ts'
import { exportsIn, type Limits } from '../adapters/exports/exports.ts'
import { leasesIn } from '../adapters/exports/leases.ts'
import { nextOpenUpload, recordUploadClosed } from '../adapters/exports/open-uploads.ts'
import { feedOf } from '../adapters/exports/page-feed.ts'
import { bucketSink, bucketsBy, downloadSink, type OpenBucket } from '../adapters/exports/sinks.ts'
import { countWaiting, type PurgeEvents, sweepExports } from '../adapters/exports/sweep-exports.ts'
import { vectorsIn } from '../adapters/exports/vectors.ts'
import { createPdfDocuments } from '../adapters/pdf-thread.ts'
import { database } from '../database.ts'
import { type ExportJob, lowerOf, optionsOf, partBytes } from '../domain/exports/export-job.ts'
import { type EmbedPorts, embedderOf } from '../handlers/exports/embed-texts.ts'
import { deleteExport, requestExport } from '../handlers/exports/request-export.ts'
import { beginSlice, writeExport } from '../handlers/exports/write-export.ts'
import { forgetJobs } from '../handlers/jobs/project-jobs.ts'
import { abortUploads } from '../policies/abort-uploads.ts'
import { writeExports } from '../policies/write-exports.ts'
import type { Settings } from '../settings.ts'
import type { ExtractorParts } from './parts.ts'
import { runBatches } from './run-batches.ts'

type Parts = Pick<ExtractorParts, 'settings' | 'bus' | 'db' | 'objectBodies' | 'signal' | 'report'>

const connectMs = 10_000

/** Resolves when the signal has aborted and nothing is in progress. */
export async function runExports(parts: Parts): Promise<void> {
  const { settings, bus, db, signal, report } = parts
  const outbox = relay({ bus, pool: db.pool, schema: database.schema, signal, report })
  // The relay publishes the rows of a failed flush later, and reports the error itself.
  const flush = () => void outbox.flush().catch(() => {})
  await using client = openClient(settings)
  using _waiting = gauge('tidemark.exports.waiting', async report => report(await countWaiting(db.pool), {}))
  const wakeUp = new WakeUp()
  const openBucket = bucketsBy(client, sealer(settings.SECRETS_KEY, settings.SECRETS_KEYS_OLD))
  await Promise.all([
    outbox.close(),
    writeAll(parts, { openBucket, flush, wakeUp }),
    serveRequests(parts, { flush, wakeUp }),
    sweepAll(parts),
    abortAll(parts, openBucket),
    runBatches({ settings, bus, db, flush, signal, report }),
  ])
}

type Beside = { openBucket: OpenBucket; flush: () => void; wakeUp: WakeUp }

async function writeAll(parts: Parts, { openBucket, flush, wakeUp }: Beside): Promise<void> {
  const { settings, bus, db, objectBodies, signal, report } = parts
  const { EXPORT_LEASE_SECONDS: leaseSeconds, EXPORT_DAYS: keptDays } = settings
  await using ofPages = createContentThread(settings.CONTENT_TIMEOUT_MS)
  // Exports read PDFs apart from the requests of waiting clients.
  await using documents = settings.READ_PDFS ? createPdfDocuments() : null
  const thread = withPdfs(ofPages, documents)
  const leases = leasesIn(db, { leaseSeconds, keptDays })
  const readBatch = openPageBatches(db.pool, objectBodies)
  await using embeddings = openEmbeddings(settings, report)
  const models = { ...modelPorts(bus), embeddings, vectors: vectorsIn(db) }
  const write = async (job: ExportJob, signal: AbortSignal) => {
    const { runId: id, format, select, caps } = job
    const maxBytes = lowerOf(settings.EXPORT_MAX_BYTES, caps.fileBytes)
    const maxKeptBytes = lowerOf(settings.EXPORT_KEPT_BYTES, caps.keptBytes)
    // Ends the reading ahead of pages when the writing has ended.
    using over = abortedAtEnd()
    const held = AbortSignal.any([signal, over.signal])
    const slice = beginSlice(settings.EXPORT_TURN_SECONDS * 1000)
    const isSliceOver = async () => slice.isOver() && (await leases.areOthersDue(job))
    const embed = embedderOf({ ...models, isSliceOver }, job, held)
    const feed = feedOf({ bus, readBatch, thread, embed }, job, held)
    const work = { format, options: optionsOf(select), partBytes, maxBytes, feed, signal }
    const sink =
      job.sink.type === 's3'
        ? bucketSink(leases, job, openBucket(job, signal))
        : downloadSink(leases, job, maxKeptBytes)
    await writeExport(
      {
        ...{ leases, feed, sink, slice },
        write: (run, take) => writeOnThread({ ...work, run: { ...run, id }, take }),
      },
      job,
    )
  }
  const atOnce = settings.EXPORTS_AT_ONCE
  await writeExports({ bus, leases, write, flush, wakeUp, atOnce, leaseSeconds, signal, report })
}

function abortedAtEnd(): Disposable & { signal: AbortSignal } {
  const controller = new AbortController()
  return { signal: controller.signal, [Symbol.dispose]: () => controller.abort() }
}

/** Time for a request to auth-billing or usage-ledger. */
const portsMs = 5_000

const modelPorts = (bus: Bus): Pick<EmbedPorts, 'consent' | 'reserve' | 'release'> => ({
  consent: async projectId =>
    (await call(bus, accountsRpc.readModelConsent, { projectId }, { timeoutMs: portsMs })).consent,
  reserve: wanted => call(bus, usageRpc.reserveModelCall, wanted, { timeoutMs: portsMs }),
  release: wanted => {
    try {
      sendWithoutResponse(bus, usageRpc.unitsReleased, wanted)
    } catch {
      // The reservation expires by itself.
    }
  },
})

async function serveRequests(
  { settings, bus, db, signal, report }: Parts,
  { flush, wakeUp }: Pick<Beside, 'flush' | 'wakeUp'>,
): Promise<void> {
  const limits: Limits = {
    atOnce: settings.EXPORTS_PER_PROJECT,
    perDay: settings.EXPORTS_PER_DAY,
    keptBytes: settings.EXPORT_KEPT_BYTES,
  }
  const exports = exportsIn(db, limits)
  const links = openLinks(db.pool)
  const sweep = (signal: AbortSignal) => sweepExports(db, purgeEvents(bus), signal)
  const serving = { signal, report }
  const requested = () => {
    flush()
    wakeUp.call()
  }
  const request = requestExport({ exports, links, limits, trace: currentTraceparent, flush: requested })
  await Promise.all([
    serve(bus, exportsRpc.requestExport, request, serving),
    serve(bus, exportsRpc.listExports, async request => ({ exports: await exports.list(request) }), serving),
    serve(
      bus,
      exportsRpc.getExport,
      async ({ projectId, exportId }) => ({ export: await exports.find(projectId, exportId) }),
      serving,
    ),
    serve(
      bus,
      exportsRpc.findExportFile,
      async ({ exportId }) => ({ found: await exports.file(exportId) }),
      serving,
    ),
    serve(bus, exportsRpc.deleteExport, deleteExport({ exports, flush }), serving),
    serve(bus, forgetRpc.forgetExports, forgetJobs({ jobs: exports, flush, sweep }), serving),
  ])
}

async function sweepAll({ settings, bus, db, signal, report }: Parts): Promise<void> {
  const name = 'the sweep of exports'
  const round = () => sweepExports(db, purgeEvents(bus), signal)
  const pauseMs = settings.EXPORT_SWEEP_SECONDS * 1000
  await repeat(round, { name, bus, isSpare: true, pauseMs, signal, report })
}

const purgeEvents =
  ({ jsm }: Bus): PurgeEvents =>
  async exportId => {
    await jsm.streams.purge(streams.exports, { filter: subjects.export(exportId) })
  }

async function abortAll({ bus, db, signal, report }: Parts, openBucket: OpenBucket): Promise<void> {
  const abort = async (job: ExportJob) => {
    if (job.upload !== null) await openBucket(job, signal).abort(job.upload)
  }
  const next = () => nextOpenUpload(db.pool)
  const close = (exportId: number) => recordUploadClosed(db.pool, exportId)
  await abortUploads({ bus, next, abort, close, signal, report })
}

const openClient = ({ EGRESS_ALLOW, ...settings }: Settings): HttpClient =>
  createClient({
    guard: createGuard({ allow: EGRESS_ALLOW }),
    resolver: resolverOf(settings),
    connectTimeoutMs: connectMs,
    connectionsPerOrigin: 4,
  })
