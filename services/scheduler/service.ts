/** scheduler, wired: it keeps monitors, tells MONITORS of them, and has a run started whenever one is due. */
import { again } from '@tidemark/bus/again'
import type { Bus } from '@tidemark/bus/connection'
import { reporter } from '@tidemark/bus/outages'
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
import { askedTicks } from './adapters/asked-ticks.ts'
import { type Clock, databaseClock } from './adapters/clock.ts'
import { keptRunsIn } from './adapters/kept-runs.ts'
import { looks } from './adapters/looks.ts'
import { monitors as monitorsIn } from './adapters/monitors.ts'
import { runs } from './adapters/runs.ts'
import { type ReadTicks, readTicks } from './adapters/tick-list.ts'
import { ticks } from './adapters/ticks.ts'
import { database } from './database.ts'
import { changeMonitor } from './handlers/change-monitor.ts'
import { createMonitor, findCreated, type Ports } from './handlers/create-monitor.ts'
import { deleteMonitor, forgetMonitors } from './handlers/delete-monitor.ts'
import { getMonitor, listMonitors, listTicks } from './handlers/get-monitor.ts'
import { type Ports as RunPorts, runMonitor } from './handlers/run-monitor.ts'
import { fireNext } from './policies/fire.ts'
import { keepTime } from './policies/keep-time.ts'
import { lookAtNext } from './policies/look.ts'
import { Settings } from './settings.ts'

const name = 'scheduler'

/** What time it is, and how often it is looked at; tests have their own. */
export type Time = { clockOf: (pool: Pool) => Clock; everyMs: number }
const realTime: Time = { clockOf: databaseClock, everyMs: 1_000 }

/** Rejects with SettingsError, or when bus or database cannot be reached. */
export async function startService(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  { clockOf, everyMs }: Time = realTime,
): Promise<AsyncDisposable> {
  const settings = readSettings(Settings, env)
  const log = createLog(name)
  const report = reporter(log, 'a monitor could not be served')
  return runService({ name, settings, database, poolSize: 8, report }, signal, serving => {
    const { bus, db, started, signal } = serving
    started.use(report.follow(bus))
    started.use(measurePool(name, db.pool))
    const outbox = relay({ bus, pool: db.pool, schema: database.schema, signal, report })
    started.defer(() => outbox.close())
    const ports = {
      clock: clockOf(db.pool),
      monitors: monitorsIn(db),
      ticks: ticks(db),
      asked: askedTicks(db),
      looks: looks(db),
      readTicks: readTicks(db.pool),
      keptRuns: keptRunsIn(db.pool),
      runs: runs(bus),
      // A row that does not go out now is swept up later; the relay itself reports why.
      publish: (id: number) => void outbox.publishNow(id).catch(() => {}),
      trace: currentTraceparent,
      report,
    }
    const keeping = { bus, everyMs, signal, report }
    const ticking = keepTime({ name: 'the firing of monitors', next: fireNext(ports), atOnce: 4, ...keeping })
    const looking = keepTime({ name: 'the look at ticks', next: lookAtNext(ports), atOnce: 2, ...keeping })
    const forgetting = forgetKeys(bus, ports, { signal, report })
    const answering = answerQuestions(bus, ports, { signal, report })
    return { ended: Promise.all([ticking, looking, forgetting, answering]) }
  })
}

async function answerQuestions(
  bus: Bus,
  ports: Ports & RunPorts & { readTicks: ReadTicks; keptRuns: ReturnType<typeof keptRunsIn> },
  serving: Pick<Serving, 'signal' | 'report'>,
): Promise<void> {
  await Promise.all([
    serve(bus, monitorsRpc.createMonitor, createMonitor(ports), serving),
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

const forgetEveryMs = 3_600_000

/** Forgets expired idempotency keys once an hour. Resolves when the signal has aborted. */
async function forgetKeys(
  bus: Pick<Bus, 'nc'>,
  { monitors }: Pick<Ports, 'monitors'>,
  { signal, report }: Pick<Serving, 'signal' | 'report'>,
): Promise<void> {
  const sweep = { name: 'the sweep of keys', bus, isSpare: true, pauseMs: forgetEveryMs }
  await again(() => monitors.trimKeys(), { ...sweep, signal, report })
}
