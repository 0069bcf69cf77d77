/** The extractor, put together: reads pages, stores them, and tells their runs. */
import { openBulky } from '@tidemark/bus/bulky'
import { type Bus, openBus } from '@tidemark/bus/connection'
import { consume } from '@tidemark/bus/consume'
import { beat } from '@tidemark/bus/heartbeat'
import { insist } from '@tidemark/bus/insist'
import { reporter } from '@tidemark/bus/outages'
import { readSettings } from '@tidemark/config/settings'
import { copyPages } from '@tidemark/content/revisits'
import { type Content, openContent } from '@tidemark/content/store'
import { watchObjects } from '@tidemark/content/watch-objects'
import { consumers, streams } from '@tidemark/contracts/subjects'
import { type Database, openDatabase } from '@tidemark/db/database'
import { lagOf } from '@tidemark/db/lag'
import { watchDatabase } from '@tidemark/db/watch'
import { openRedis } from '@tidemark/redis/connect'
import { siteFilesIn } from '@tidemark/redis/site-files'
import { measureLags } from '@tidemark/telemetry/lag-metrics'
import { createLog } from '@tidemark/telemetry/log'
import { measurePool } from '@tidemark/telemetry/pool-metrics'
import { measureRedis } from '@tidemark/telemetry/redis-metrics'
import { createBodies } from './adapters/bodies.ts'
import { createContentThread } from './adapters/content-thread.ts'
import { openElsewhere } from './adapters/elsewhere.ts'
import { fetchByBus } from './adapters/fetch-now.ts'
import { createLargePages, type LargePages } from './adapters/large-pages.ts'
import { createOutcomes } from './adapters/outcomes.ts'
import { createPdfThread } from './adapters/pdf-thread.ts'
import { readFrame } from './adapters/read-frame.ts'
import { loadScrapers } from './adapters/scrapers-folder.ts'
import { createSiteFileCache } from './adapters/site-file-cache.ts'
import { storeBatch } from './adapters/store-batch.ts'
import { database } from './database.ts'
import { extractPages } from './handlers/extract-pages.ts'
import { giveUpPages } from './handlers/give-up.ts'
import { createPageReader } from './handlers/read-page.ts'
import { revisitPages } from './handlers/revisit-pages.ts'
import { createSiteFiles } from './handlers/site-files.ts'
import { createSitePolicies } from './handlers/site-policy.ts'
import { storeAndTell } from './handlers/store-and-tell.ts'
import { Settings } from './settings.ts'
import { createBatches } from './turns/batches.ts'
import { answerActors } from './wiring/answer-actors.ts'
import { answerQuestions } from './wiring/answer-questions.ts'
import { placeOfReading, startRunReading } from './wiring/run-reading.ts'

const name = 'extractor'

/** Two batches on their way keep the database busy while a third is read; more only wait there. */
const batchesOut = 2
/** Of the lock, the reading of runs, the sweeping, the reading of sites and that of link graphs. */
const readingOut = 5
const batching = { maxItems: 50, maxBytes: 8 * 1024 ** 2, maxOut: batchesOut, maxWaitMs: 100 }

/** Rejects with SettingsError, or when bus or database cannot be reached. */
export async function startService(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<AsyncDisposable> {
  const settings = readSettings(Settings, env)
  const log = createLog(name)
  const report = reporter(log, 'pages could not be handled')

  await using started = new AsyncDisposableStack()
  const bus = started.adopt(await openBus({ url: settings.NATS_URL, name }), bus => bus.close())
  started.use(report.follow(bus))
  const options = { poolSize: batchesOut + readingOut, name }
  const db = started.adopt(await openDatabase(settings.DATABASE_URL, database, options), db => db.close())
  const redis = started.use(
    await openRedis(settings.REDIS_URL, {
      away: error =>
        log.warn({ err: error }, 'Redis is away: what sites say is remembered by this process alone'),
      back: () => log.info('Redis is back'),
    }),
  )
  started.use(measureRedis(name, redis))
  const elsewhere = openElsewhere(settings, db.transaction)
  if (elsewhere) {
    const isSpare = elsewhere.transaction === undefined
    started.use(watchObjects({ bus, objects: elsewhere.objects, isSpare }))
    started.defer(elsewhere.objects.close)
  }
  const bulky = openBulky(bus)
  const fetchPage = fetchByBus(bus, bulky, report)
  const readSiteFile = createSiteFiles({ fetchPage, cache: createSiteFileCache(siteFilesIn(redis)) })
  const sitePolicy = createSitePolicies(readSiteFile)
  started.use(measurePool(name, db.pool))
  started.use(measureLags(async () => [await lagOf({ bus, pool: db.pool, ...placeOfReading })]))
  started.use(watchDatabase({ bus, pool: db.pool, database }))
  const reading = startRunReading({ bus, db, objects: elsewhere?.objects, readSiteFile, signal, report })
  started.defer(() => reading.ended)
  const largePages = started.use(createLargePages())
  const store = openContent(db.pool, elsewhere)
  const consuming = startConsuming({ settings, bus, db, store, largePages, signal, report })
  started.defer(() => consuming)
  const thread = started.use(createContentThread(settings.CONTENT_TIMEOUT_MS))
  const pdfs = started.use(createPdfThread())
  const asked = {
    settings,
    bus,
    bulky,
    store,
    fetchPage,
    readSiteFile,
    sitePolicy,
    thread,
    pdfs,
    scrapers: await loadScrapers(),
  }
  const answering = Promise.all([
    answerQuestions({ ...asked, signal, report }),
    answerActors({ ...asked, pool: db.pool, signal, report }),
  ])
  started.defer(async () => void (await answering))
  const { INSTANCE: instance } = settings
  started.use(await beat(bus, { service: name, instance, check: reading.fault, warn: redis.warn }))
  return started.move()
}

type Parts = {
  settings: Settings
  bus: Bus
  db: Pick<Database, 'transaction'>
  store: Content
  largePages: LargePages
  signal: AbortSignal
  report: (error: unknown) => void
}

function startConsuming({ settings, bus, db, store, largePages, signal, report }: Parts): Promise<void> {
  const {
    EXTRACT_MESSAGES: messages,
    MAX_DECODED_BYTES: maxDecodedBytes,
    ROBOTS_TOKEN: robotsToken,
  } = settings
  const insistence = { signal, report }
  const bodies = createBodies(openBulky(bus))
  const publish = createOutcomes(bus, insistence)
  const settle = storeAndTell({
    store: pages => storeBatch(store, pages, insistence),
    revisit: revisitPages({ copy: copies => insist(() => copyPages(db.transaction, copies), insistence) }),
    publish,
    forget: key => bodies.forget(key).catch(report), // else it goes with its age
  })
  return consume(bus, {
    stream: streams.pages,
    consumer: consumers.extractor,
    parse: readFrame,
    handle: extractPages({
      reader: createPageReader({ bodies, largePages, maxDecodedBytes, robotsToken, report }),
      batches: createBatches({ ...batching, run: settle }),
      messages,
      maxBytes: maxDecodedBytes,
      report,
    }),
    concurrency: messages,
    signal,
    report,
    onGiveUp: giveUpPages(publish),
  })
}
