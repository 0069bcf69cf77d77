/**
 * Wires scheduler: it stores monitors, publishes their events in MONITORS, and starts their runs when they are due.
 */

import type { Bus } from '@tidemark/bus/connection'
import { reporter } from '@tidemark/bus/outages'
import { repeat } from '@tidemark/bus/repeat'
import { serve } from '@tidemark/bus/rpc'
import { currentTraceparent } from '@tidemark/bus/trace'
import { readSettings } from '@tidemark/config/settings'
import * as forgetRpc from '@tidemark/contracts/rpc/forget'
import * as monitorsRpc from '@tidemark/contracts/rpc/monitors'
import { relay } from '@tidemark/db/outbox'
import { runService, type Serving } from '@tidemark/db/run-service'
import { createLog } from '@tidemark/telemetry/log'
import { measurePool } from '@tidemark/telemetry/pool-metrics'
import type { Pool } from 'pg'
import { type Clock, databaseClock } from './adapters/clock.ts'
import { keptRunsIn } from './adapters/earlier-runs.ts'
import { monitors as monitorsIn } from './adapters/monitors.ts'
import { requestedTicks } from './adapters/requested-ticks.ts'
import { runs } from './adapters/runs.ts'
import { tickChecks } from './adapters/tick-checks.ts'
import { type ReadTicks, readTicks } from './adapters/tick-list.ts'
import { ticks } from './adapters/ticks.ts'
import { database } from './database.ts'
import { changeMonitor } from './handlers/change-monitor.ts'
import { checkSchedule, createMonitor, findCreated, type Ports } from './handlers/create-monitor.ts'
import { deleteMonitor, forgetMonitors } from './handlers/delete-monitor.ts'
import { getMonitor, listMonitors, listTicks } from './handlers/get-monitor.ts'
import { type Ports as RunPorts, runMonitor } from './handlers/run-monitor.ts'
import { checkNext } from './policies/check-ticks.ts'
import { fireNext } from './policies/fire.ts'
import { handleDueTicks } from './policies/handle-due-ticks.ts'
import { Settings } from './settings.ts'

const name = 'scheduler'

/** The clock, and the pause between two polls in ms. Tests replace both. */
export type Time = { clockOf: (pool: Pool) => Clock; everyMs: number }
/** Pause between two deletions of expired idempotency keys. */
const trimEveryMs = 3_600_000
const realTime: Time = { clockOf: databaseClock, everyMs: 1_000 }

/** Starts the scheduler until it is disposed. Rejects with SettingsError, or when bus or database cannot be reached. */
export async function startService(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  { clockOf, everyMs }: Time = realTime,
): Promise<AsyncDisposable> {
  const settings = readSettings(Settings, env)
  const log = createLog(name)
  const report = reporter(log, 'a monitor could not be processed')
  return runService(
    { name, settings, database, poolSize: 8, report },
    signal,
    ({ bus, db, started, signal }) => {
      started.use(measurePool(name, db.pool))
      const outbox = relay({ bus, pool: db.pool, schema: database.schema, signal, report })
      started.defer(() => outbox.close())
      const ports = {
        clock: clockOf(db.pool),
        monitors: monitorsIn(db),
        ticks: ticks(db),
        requested: requestedTicks(db),
        checks: tickChecks(db),
        readTicks: readTicks(db.pool),
        keptRuns: keptRunsIn(db.pool),
        runs: runs(bus),
        // The relay publishes a failed row again later, and reports the error itself.
        publish: (id: number) => void outbox.publishNow(id).catch(() => {}),
        trace: currentTraceparent,
        report,
      }
      const polling = { bus, everyMs, signal, report }
      const firing = handleDueTicks({
        name: 'the firing of monitors',
        next: fireNext(ports),
        atOnce: 4,
        ...polling,
      })
      const checking = handleDueTicks({
        name: 'the check of ticks',
        next: checkNext(ports),
        atOnce: 2,
        ...polling,
      })
      const sweep = { name: 'the sweep of keys', bus, isSpare: true, pauseMs: trimEveryMs }
      const trimming = repeat(() => ports.monitors.trimKeys(), { ...sweep, signal, report })
      const serving = serveRequests(bus, ports, { signal, report })
      return { ended: Promise.all([firing, checking, trimming, serving]) }
    },
  )
}

async function serveRequests(
  bus: Bus,
  ports: Ports & RunPorts & { readTicks: ReadTicks; keptRuns: ReturnType<typeof keptRunsIn> },
  serving: Pick<Serving, 'signal' | 'report'>,
): Promise<void> {
  await Promise.all([
    serve(bus, monitorsRpc.createMonitor, createMonitor(ports), serving),
    serve(bus, monitorsRpc.checkSchedule, checkSchedule(ports), serving),
    serve(bus, monitorsRpc.findCreated, findCreated(ports.monitors), serving),
    serve(bus, monitorsRpc.listMonitors, listMonitors(ports.monitors), serving),
    serve(bus, monitorsRpc.getMonitor, getMonitor(ports.monitors), serving),
    serve(bus, monitorsRpc.listTicks, listTicks(ports.readTicks), serving),
    serve(bus, monitorsRpc.runMonitor, runMonitor(ports), serving),
    serve(bus, monitorsRpc.changeMonitor, changeMonitor(ports), serving),
    serve(bus, monitorsRpc.deleteMonitor, deleteMonitor(ports), serving),
    serve(
      bus,
      forgetRpc.keptRuns,
      async ({ projectId }) => ({ runIds: await ports.keptRuns(projectId) }),
      serving,
    ),
    serve(bus, forgetRpc.forgetMonitors, forgetMonitors(ports), serving),
  ])
}
