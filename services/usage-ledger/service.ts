/**
 * Wires usage-ledger. It bills the pages of runs and the units of requests, and records them in the ledger. It returns
 * the usage of projects, and grants units under their caps.
 */
import { reporter } from '@tidemark/bus/outages'
import { serve } from '@tidemark/bus/rpc'
import { readSettings } from '@tidemark/config/settings'
import * as operatorRpc from '@tidemark/contracts/rpc/operator'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import * as usageRpc from '@tidemark/contracts/rpc/usage'
import { readCheckpoint } from '@tidemark/db/checkpoint'
import { lagOf } from '@tidemark/db/lag'
import { runService, type Serving } from '@tidemark/db/run-service'
import { measureLags } from '@tidemark/telemetry/lag-metrics'
import { createLog } from '@tidemark/telemetry/log'
import { measurePool } from '@tidemark/telemetry/pool-metrics'
import { createCurrent } from './adapters/current.ts'
import { lockedProjects } from './adapters/locked-projects.ts'
import { longReads } from './adapters/long-reads.ts'
import { ledgerLimits, readLedger } from './adapters/read-ledger.ts'
import { readSpending } from './adapters/read-spending.ts'
import { readHistory, readUsage, recentLimits } from './adapters/read-usage.ts'
import { untilRecorded } from './adapters/recorded.ts'
import { fillOfServed, shortenServed } from './adapters/served-stream.ts'
import { database } from './database.ts'
import { holdUnits } from './handlers/hold-units.ts'
import { reserveModelCall } from './handlers/reserve-model-call.ts'
import { releaseUnits, reserveUnits } from './handlers/reserve-units.ts'
import { sweepReservations } from './policies/sweep-reservations.ts'
import { trimServed } from './policies/trim-served.ts'
import { Settings } from './settings.ts'
import { billed, billedRequests, recordedUnits, startReaders } from './wiring/reading.ts'

const name = 'usage-ledger'

/** Rejects with SettingsError, or when bus or database cannot be reached. */
export async function startService(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<AsyncDisposable> {
  const settings = readSettings(Settings, env)
  const log = createLog(name)
  const report = reporter(log, 'usage could not be recorded')
  return runService({ name, settings, database, poolSize: 6, report }, signal, serving => {
    serving.started.use(measurePool(name, serving.db.pool))
    const connections = { bus: serving.bus, pool: serving.db.pool }
    const read = [billed, billedRequests, recordedUnits]
    const lags = () => Promise.all(read.map(key => lagOf({ ...connections, ...key })))
    serving.started.use(measureLags(lags))
    const readers = startReaders(serving)
    const swept = sweepReservations({ ...serving, ...recorded(serving), now: Date.now })
    const shortened = trimServed({ ...serving, ...served(serving), now: Date.now })
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
  readFill: () => fillOfServed(bus),
  shorten: (billed: number, before: number) => shortenServed(bus, billed, before),
})

async function serveRequests({ bus, db, signal, report }: Serving, modelCallsPerDay: number): Promise<void> {
  const readers = [billed, billedRequests, recordedUnits]
  const untilCurrent = createCurrent({ bus, pool: db.pool, readers, signal })
  const ofDay = readUsage(db.pool, longReads(db.pool, recentLimits))
  const usage: typeof ofDay = async request => {
    if (request.isCurrent) await untilCurrent()
    return ofDay(request)
  }
  const ledger = readLedger(longReads(db.pool, ledgerLimits))
  const history = readHistory(db.pool)
  const projects = lockedProjects(db)
  const reached = async () => ({ sequence: await readCheckpoint(db.pool, billed) })
  const serving = { signal, report }
  await Promise.all([
    serve(bus, usageRpc.readUsage, usage, serving),
    serve(bus, usageRpc.readUsageHistory, request => untilCurrent().then(() => history(request)), serving),
    serve(bus, usageRpc.readLedger, request => untilCurrent().then(() => ledger(request)), serving),
    serve(bus, runsRpc.reached.ledger, reached, serving),
    serve(bus, usageRpc.unitsReleased, releaseUnits(projects), serving),
    serve(bus, usageRpc.reserveUnits, reserveUnits(projects, Date.now, untilCurrent), serving),
    serve(bus, usageRpc.reserveModelCall, reserveModelCall(projects, modelCallsPerDay, Date.now), serving),
    serve(bus, usageRpc.holdUnits, holdUnits(projects, Date.now), serving),
  ])
}
