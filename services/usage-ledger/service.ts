/** usage-ledger, wired: it bills what runs settle, keeps the ledger, and answers what was spent. */
import { answer } from '@tidemark/bus/ask'
import { encodeJson, jsonParser } from '@tidemark/bus/codec'
import { type Bus, openBus } from '@tidemark/bus/connection'
import { beat } from '@tidemark/bus/heartbeat'
import { publish } from '@tidemark/bus/publish'
import { readSettings } from '@tidemark/config/settings'
import type { Reached } from '@tidemark/contracts/ask/runs'
import { ReadUsage } from '@tidemark/contracts/ask/usage'
import { asks, streams, subjects } from '@tidemark/contracts/subjects'
import { readCheckpoint } from '@tidemark/db/checkpoint'
import { type Database, openDatabase } from '@tidemark/db/database'
import { type Projection, runProjection } from '@tidemark/db/projector'
import { createLog } from '@tidemark/telemetry/log'
import { database } from './database.ts'
import { readUsage } from './handlers/read-usage.ts'
import { billRuns } from './policies/bill-runs.ts'
import { ledgerProjection, recordUnits } from './projections/ledger.ts'
import { Settings } from './settings.ts'

const name = 'usage-ledger'

/** Rejects with SettingsError, or when bus or database cannot be reached. */
export async function startService(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<AsyncDisposable> {
  const settings = readSettings(Settings, env)
  const log = createLog(name)
  const report = (error: unknown) => log.error({ err: error }, 'usage could not be recorded')
  const stop = new AbortController()
  const serving = { signal: stop.signal, report }

  await using started = new AsyncDisposableStack()
  const bus = started.adopt(await openBus({ url: settings.NATS_URL, name }), bus => bus.close())
  const options = { poolSize: 4, name }
  const db = started.adopt(await openDatabase(settings.DATABASE_URL, database, options), db => db.close())
  const readers = startReaders(bus, db, serving)
  const read = readUsage(db.pool)
  const answering = answer(bus, asks.readUsage, name, read, { parse: jsonParser(ReadUsage), ...serving })

  started.defer(() => readers.ended)
  started.defer(() => answering)
  const reached = async (): Promise<Reached> => ({ sequence: await readCheckpoint(db.pool, billed) })
  void answer(bus, asks.reached('ledger'), name, reached, { parse: () => null, ...serving })
  started.use(beat(bus, { service: name, instance: settings.INSTANCE, check: readers.fault }))
  started.defer(() => stop.abort())
  signal.addEventListener('abort', () => stop.abort(), { once: true })
  return started.move()
}

/** What is not billed yet must not leave the stream. */
const billed = {
  schema: database.schema,
  projection: 'bill-runs',
  partition: 'all',
  stream: streams.runs,
}

type Serving = Pick<Projection, 'signal' | 'report'>

/** The policy that bills and the projection that records; `fault` names a stream that cannot be read on. */
function startReaders(bus: Bus, { pool }: Database, serving: Serving) {
  const place = { bus, pool, schema: database.schema, partition: 'all', ...serving }
  const publishBill = async (bill: object, projectId: number, id: string) => {
    await publish(bus, subjects.usage(projectId), encodeJson(bill), { id })
  }
  const readers: Projection[] = [
    {
      ...place,
      name: billed.projection,
      stream: billed.stream,
      filter: 'runs.*.*.crawl',
      apply: billRuns({ publish: publishBill, report: serving.report }),
    },
    {
      ...place,
      name: ledgerProjection.name,
      stream: ledgerProjection.stream,
      filter: ledgerProjection.filter,
      apply: recordUnits(serving.report),
    },
  ]
  let fault: string | null = null
  const ended = readers.map(async reader => {
    const end = await runProjection(reader)
    if (end !== 'stopped') fault = `${reader.stream} ends before what was read of it`
  })
  return { ended: Promise.all(ended).then(() => {}), fault: () => fault }
}
