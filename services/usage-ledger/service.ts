/**
 * Wires usage-ledger. It bills the pages of runs and the units of requests, and records them in the ledger. It returns
 * the usage of projects, and grants units under their caps.
 */
import { encodeJson } from '@tidemark/bus/codec'
import { reporter } from '@tidemark/bus/outages'
import { publish } from '@tidemark/bus/publish'
import { serve } from '@tidemark/bus/rpc'
import { readSettings } from '@tidemark/config/settings'
import { named } from '@tidemark/contracts/health'
import * as operatorRpc from '@tidemark/contracts/rpc/operator'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import * as usageRpc from '@tidemark/contracts/rpc/usage'
import { streams, subjects } from '@tidemark/contracts/subjects'
import type { UsageCommit } from '@tidemark/contracts/usage'
import { readCheckpoint } from '@tidemark/db/checkpoint'
import { lagOf } from '@tidemark/db/lag'
import { type Projection, runProjection } from '@tidemark/db/projector'
import { runService, type Serving } from '@tidemark/db/run-service'
import { measureLags } from '@tidemark/telemetry/lag-metrics'
import { createLog } from '@tidemark/telemetry/log'
import { counter } from '@tidemark/telemetry/metrics'
import { measurePool } from '@tidemark/telemetry/pool-metrics'
import { readLedger } from './adapters/read-ledger.ts'
import { readSpending } from './adapters/read-spending.ts'
import { readHistory, readUsage } from './adapters/read-usage.ts'
import { untilRecorded } from './adapters/recorded.ts'
import { shortenServed } from './adapters/served-stream.ts'
import { waivers } from './adapters/waivers.ts'
import { database } from './database.ts'
import { spentIn } from './domain/billing.ts'
import { holdUnits } from './handlers/hold-units.ts'
import { reserveModelCall } from './handlers/reserve-model-call.ts'
import { releaseUnits, reserveUnits } from './handlers/reserve-units.ts'
import { billRequests } from './policies/bill-requests.ts'
import { billRuns } from './policies/bill-runs.ts'
import { lookAfterServed } from './policies/look-after-served.ts'
import { sweepReservations } from './policies/sweep-reservations.ts'
import { ledgerProjection, recordUnits } from './projections/ledger.ts'
import { Settings } from './settings.ts'

const name = 'usage-ledger'

/** Bills of scans that follow each other are recorded together. Units are held until then, so caps do not wait for them. */
const paceMs = 50

/** Rejects with SettingsError, or when bus or database cannot be reached. */
export async function startService(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<AsyncDisposable> {
  const settings = readSettings(Settings, env)
  const log = createLog(name)
  const report = reporter(log, 'usage could not be recorded')
  return runService({ name, settings, database, poolSize: 6, report }, signal, serving => {
    serving.started.use(report.follow(serving.bus))
    serving.started.use(measurePool(name, serving.db.pool))
    const connections = { bus: serving.bus, pool: serving.db.pool }
    const read = [billed, billedRequests, recordedUnits]
    const lags = () => Promise.all(read.map(key => lagOf({ ...connections, ...key })))
    serving.started.use(measureLags(lags))
    const readers = startReaders(serving)
    const swept = sweepReservations({ ...serving, ...recorded(serving), now: Date.now })
    const shortened = lookAfterServed({ ...serving, ...served(serving), now: Date.now })
    const ended = Promise.all([
      readers.ended,
      swept,
      shortened,
      serveRequests(serving, settings.MODEL_CALLS_PER_DAY),
      serve(serving.bus, operatorRpc.lags['usage-ledger'], async () => ({ lags: await lags() }), serving),
      serve(serving.bus, operatorRpc.readSpending, readSpending(serving.db.pool), serving),
    ])
    return { ended, check: readers.fault }
  })
}

/** Waits for the readers that bring served requests into the ledger. */
const recorded = ({ bus, db: { pool }, signal }: Serving) => ({
  pool,
  untilRecorded: () => untilRecorded({ bus, pool, readers: [billedRequests, recordedUnits], signal }),
})

/** Reads how far SERVED is billed, and deletes its old messages. */
const served = ({ bus, db }: Serving) => ({
  readBilled: () => readCheckpoint(db.pool, billedRequests),
  shorten: (billed: number, before: number) => shortenServed(bus, billed, before),
})

async function serveRequests({ bus, db, signal, report }: Serving, modelCallsPerDay: number): Promise<void> {
  const reached = async () => ({ sequence: await readCheckpoint(db.pool, billed) })
  const serving = { signal, report }
  await Promise.all([
    serve(bus, usageRpc.readUsage, readUsage(db.pool), serving),
    serve(bus, usageRpc.readUsageHistory, readHistory(db.pool), serving),
    serve(bus, usageRpc.readLedger, readLedger(db.pool), serving),
    serve(bus, runsRpc.reached.ledger, reached, serving),
    serve(bus, usageRpc.unitsReleased, releaseUnits(db), serving),
    serve(bus, usageRpc.reserveUnits, reserveUnits(db, Date.now), serving),
    serve(bus, usageRpc.reserveModelCall, reserveModelCall(db, modelCallsPerDay, Date.now), serving),
    serve(bus, usageRpc.holdUnits, holdUnits(db, Date.now), serving),
  ])
}

/** The checkpoints of the readers. Messages that are not billed yet must not leave their streams. */
const all = { schema: database.schema, partition: 'all' }
const billed = { ...all, projection: 'bill-runs', stream: streams.runs, filter: 'runs.*.*.crawl' }
const billedRequests = {
  ...all,
  projection: 'bill-requests',
  stream: streams.served,
  filter: 'served.*',
}
const recordedUnits = {
  ...all,
  projection: ledgerProjection.name,
  stream: ledgerProjection.stream,
  filter: ledgerProjection.filter,
}

/** Starts the policies that bill and the projection that records. `fault` names a stream that lost messages. */
function startReaders({ bus, db, signal, report }: Serving) {
  const common = { bus, pool: db.pool, ...all, paceMs, signal, report }
  const billedUnits = counter('tidemark.units')
  const publishBill = async (bill: UsageCommit, projectId: number, id: string) => {
    const { duplicate } = await publish(bus, subjects.usage(projectId), encodeJson(bill), { id })
    if (duplicate) return
    for (const { kind, operation, units } of spentIn(bill)) billedUnits(units, { kind, operation })
  }
  const billing = { publish: publishBill }
  const allowance = waivers()
  const [ofRuns, ofRequests] = [allowance(), allowance()]
  const readers: Projection[] = [
    {
      ...common,
      name: billed.projection,
      stream: billed.stream,
      filter: billed.filter,
      apply: billRuns({ ...billing, waivers: ofRuns, report }),
      onCommitted: ofRuns.keep,
    },
    {
      ...common,
      name: billedRequests.projection,
      stream: billedRequests.stream,
      filter: billedRequests.filter,
      apply: billRequests({ ...billing, waivers: ofRequests }),
      onCommitted: ofRequests.keep,
    },
    {
      ...common,
      name: ledgerProjection.name,
      stream: ledgerProjection.stream,
      filter: ledgerProjection.filter,
      apply: recordUnits,
    },
  ]
  let fault: string | null = null
  const ended = readers.map(async reader => {
    const end = await runProjection(reader)
    if (end !== 'stopped')
      fault = named('stream_went_backwards', `${reader.stream} ends before what was read of it`)
  })
  return { ended: Promise.all(ended).then(() => {}), fault: () => fault }
}
