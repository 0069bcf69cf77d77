/** Assembles the extractor: reads pages, stores them and publishes their outcomes. */
import { openBulky } from '@tidemark/bus/bulky'
import type { Bus } from '@tidemark/bus/connection'
import { beat } from '@tidemark/bus/heartbeat'
import { reporter } from '@tidemark/bus/outages'
import { isHeldUp } from '@tidemark/bus/stall'
import { readSettings, SettingsError } from '@tidemark/config/settings'
import { openPageBatches } from '@tidemark/content/page-batches'
import { openBucket } from '@tidemark/content/s3'
import { openScans } from '@tidemark/content/scans/scans'
import { bodyFaults, bucketConfig } from '@tidemark/content/settings'
import { type ObjectBodies, openContent } from '@tidemark/content/store'
import { watchObjects } from '@tidemark/content/watch-objects'
import type { Database } from '@tidemark/db/database'
import { openServers } from '@tidemark/db/open-servers'
import { openRedis } from '@tidemark/redis/connect'
import { siteFilesIn } from '@tidemark/redis/site-files'
import { measureLags } from '@tidemark/telemetry/lag-metrics'
import { createLog } from '@tidemark/telemetry/log'
import { measurePool } from '@tidemark/telemetry/pool-metrics'
import { measureRedis } from '@tidemark/telemetry/redis-metrics'
import { type ContentThread, createContentThread, withPdfs } from './adapters/content-thread.ts'
import { fetchByBus } from './adapters/fetch-now.ts'
import { createLargePages } from './adapters/large-pages.ts'
import { type Model, openModel } from './adapters/model.ts'
import {
  createPdfDocuments,
  createPdfHeads,
  createPdfThread,
  type PdfDocuments,
} from './adapters/pdf-thread.ts'
import { createScanRecorder } from './adapters/scan-recorder.ts'
import { loadScrapers } from './adapters/scrapers-folder.ts'
import { createSiteFileCache } from './adapters/site-file-cache.ts'
import { withSmallPages } from './adapters/small-pages.ts'
import { createStoredPages } from './adapters/stored-pages.ts'
import { database } from './database.ts'
import { withModel } from './handlers/by-model.ts'
import { createSiteFiles } from './handlers/site-files.ts'
import { createSitePolicies } from './handlers/site-policy.ts'
import { Settings } from './settings.ts'
import { modelFaults } from './settings-model.ts'
import { batchesOut, consumePages } from './wiring/consume-pages.ts'
import { keepScans } from './wiring/keep-scans.ts'
import type { ExtractorParts } from './wiring/parts.ts'
import { runExports } from './wiring/run-exports.ts'
import { startRunReading } from './wiring/run-reading.ts'
import { serveActors } from './wiring/serve-actors.ts'
import { serveRequests } from './wiring/serve-requests.ts'
import { serveTimeStamps } from './wiring/serve-time-stamps.ts'

const name = 'extractor'

/**
 * Connections for the lock, the reading of runs, the sweep, the reading of sites, of link graphs, of audited and of
 * replayed pages.
 */
const readingOut = 7
/** Connections for the outbox, the reading and storing of exports, their leases, requests and sweeps. */
const exportsOut = 4
/**
 * Connections for the leases, results, requests and sweeps of batches of scans. Stored scans and time-stamps need one
 * now and then.
 */
const scansOut = 3

/** Rejects with SettingsError, or when bus or database are unreachable. */
export async function startService(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<AsyncDisposable> {
  const settings = settingsIn(env)
  const log = createLog(name)
  const report = reporter(log, 'pages could not be processed')

  await using started = new AsyncDisposableStack()
  const poolSize = batchesOut + readingOut + exportsOut + scansOut
  const { bus, db } = await openServers(started, { name, settings, database, poolSize, report })
  const redis = started.use(
    await openRedis(settings.REDIS_URL, {
      away: error =>
        log.warn({ err: error }, 'Redis is unavailable: this process caches the texts of sites itself'),
      back: () => log.info('Redis is available again'),
      isHeldUp,
    }),
  )
  started.use(measureRedis(name, redis))
  const objectBodies = openObjectBodies(settings, db.transaction)
  if (objectBodies) watchObjectBodies(started, bus, objectBodies)
  const bulky = openBulky(bus)
  const fetchPage = fetchByBus(bus, bulky, report)
  const readSiteFile = createSiteFiles({ fetchPage, cache: createSiteFileCache(siteFilesIn(redis)) })
  const sitePolicy = createSitePolicies(readSiteFile)
  started.use(measurePool(name, db.pool))
  const reading = startRunReading({ bus, db, objectBodies, readSiteFile, signal, report })
  started.defer(() => reading.ended)
  started.use(measureLags(reading.lags))
  const store = openContent(db.pool, objectBodies)
  const documents = settings.READ_PDFS ? started.use(createPdfDocuments()) : null
  const pdfs = settings.READ_PDFS ? started.use(createPdfHeads()) : null
  const parts = { settings, bus, db, objectBodies, signal, report }
  const storedPages = createStoredPages(openPageBatches(db.pool, objectBodies), store)
  const largePages = started.use(createLargePages())
  const consuming = consumePages({ ...parts, store, storedPages, largePages, pdfs })
  started.defer(() => consuming)
  const exporting = runExports(parts)
  started.defer(() => exporting)
  const ports = {
    settings,
    bus,
    bulky,
    store,
    ...startKeeping(started, parts),
    fetchPage,
    readSiteFile,
    sitePolicy,
    ...openThread(started, settings, documents, report),
    pdfs: started.use(createPdfThread()),
    scrapers: await loadScrapers(),
    ...{ db, signal, report },
  }
  const answering = Promise.all([serveRequests(ports), serveActors(ports), serveTimeStamps(parts)])
  started.defer(async () => void (await answering))
  const { INSTANCE: instance } = settings
  started.use(await beat(bus, { service: name, instance, check: reading.fault, warn: redis.warn }))
  return started.move()
}

/** Reads the settings. Throws SettingsError with all their faults. */
function settingsIn(env: NodeJS.ProcessEnv): Settings {
  const settings = readSettings(Settings, env)
  const faults = modelFaults(settings)
  if (faults.length > 0) throw new SettingsError(faults)
  return settings
}

/** Opens the thread that makes content for waiting clients, and the language model that it may use. */
function openThread(
  started: AsyncDisposableStack,
  settings: Settings,
  documents: PdfDocuments | null,
  report: (error: unknown) => void,
): { thread: ContentThread; model: Model | null } {
  const model = openModel(settings, report)
  if (model) started.use(model)
  const plain = started.use(createContentThread(settings.CONTENT_TIMEOUT_MS))
  // A PDF is read once, even if the model makes two readings of its text.
  return { thread: withPdfs(withModel(withSmallPages(plain), model), documents), model }
}

function watchObjectBodies(
  started: AsyncDisposableStack,
  bus: Bus,
  { objects, transaction }: ObjectBodies,
): void {
  started.use(watchObjects({ bus, objects, isSpare: transaction === undefined }))
  started.defer(objects.close)
}

type Keeping = Pick<ExtractorParts, 'settings' | 'bus' | 'db' | 'objectBodies' | 'signal' | 'report'>

/** Opens the store of pages of scans, and starts their deletion. */
function startKeeping(started: AsyncDisposableStack, { objectBodies, ...parts }: Keeping) {
  const scans = openScans(parts.db.pool, objectBodies)
  const keeping = keepScans({ ...parts, scans })
  started.defer(() => keeping)
  const { settings, report } = parts
  return { scans, recorder: settings.KEEP_SCANS ? started.use(createScanRecorder(scans, { report })) : null }
}

/** Opens the store of bodies beside Postgres; undefined without one. Throws SettingsError with all missing settings. */
function openObjectBodies(
  settings: Settings,
  transaction: Database['transaction'],
): ObjectBodies | undefined {
  const faults = bodyFaults(settings)
  if (faults.length > 0) throw new SettingsError(faults)
  const config = bucketConfig(settings)
  if (config === null) return undefined
  return { objects: openBucket(config), ...(settings.BODIES === 's3' && { transaction }) }
}
