/** scheduler, wired: it keeps monitors, tells MONITORS of them, and has a run started whenever one is due. */
import { answer } from '@tidemark/bus/ask'
import { jsonParser } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { reporter } from '@tidemark/bus/outages'
import { currentTraceparent } from '@tidemark/bus/trace'
import { readSettings } from '@tidemark/config/settings'
import { ForgetProject, KeptRuns, type KeptRunsAnswer } from '@tidemark/contracts/ask/forget'
import {
  ChangeMonitor,
  CreateMonitor,
  DeleteMonitor,
  FindCreated,
  GetMonitor,
  ListMonitors,
  ListTicks,
  RunMonitor,
} from '@tidemark/contracts/ask/monitors'
import { asks } from '@tidemark/contracts/subjects'
import { relay } from '@tidemark/db/outbox'
import { type Serving, serve } from '@tidemark/db/serve'
import { createLog } from '@tidemark/telemetry/log'
import { measurePool } from '@tidemark/telemetry/pool-metrics'
import type { Pool } from 'pg'
import type { TSchema } from 'typebox'
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
import { createMonitor, type Ports } from './handlers/create-monitor.ts'
import { deleteMonitor } from './handlers/delete-monitor.ts'
import { findCreated } from './handlers/find-created.ts'
import { forgetMonitors } from './handlers/forget-monitors.ts'
import { getMonitor } from './handlers/get-monitor.ts'
import { listMonitors } from './handlers/list-monitors.ts'
import { listTicks } from './handlers/list-ticks.ts'
import { type Ports as RunPorts, runMonitor } from './handlers/run-monitor.ts'
import { fireNext } from './policies/fire.ts'
import { forgetKeys } from './policies/forget-keys.ts'
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
  return serve({ name, settings, database, poolSize: 8, report }, signal, serving => {
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
    const forgetting = forgetKeys({ bus, ...ports, signal })
    const answering = answerQuestions(bus, ports, { signal, report })
    return { ended: Promise.all([ticking, looking, forgetting, answering]) }
  })
}

async function answerQuestions(
  bus: Bus,
  ports: Ports & RunPorts & { readTicks: ReadTicks; keptRuns: ReturnType<typeof keptRunsIn> },
  serving: Pick<Serving, 'signal' | 'report'>,
): Promise<void> {
  const at = <Q extends TSchema>(schema: Q) => ({ parse: jsonParser(schema), ...serving })
  const kept = async ({ projectId }: KeptRuns): Promise<KeptRunsAnswer> => ({
    runIds: await ports.keptRuns(projectId),
  })
  await Promise.all([
    answer(bus, asks.createMonitor, name, createMonitor(ports), at(CreateMonitor)),
    answer(bus, asks.findCreated, name, findCreated(ports.monitors), at(FindCreated)),
    answer(bus, asks.listMonitors, name, listMonitors(ports.monitors), at(ListMonitors)),
    answer(bus, asks.getMonitor, name, getMonitor(ports.monitors), at(GetMonitor)),
    answer(bus, asks.listTicks, name, listTicks(ports.readTicks), at(ListTicks)),
    answer(bus, asks.runMonitor, name, runMonitor(ports), at(RunMonitor)),
    answer(bus, asks.changeMonitor, name, changeMonitor(ports), at(ChangeMonitor)),
    answer(bus, asks.deleteMonitor, name, deleteMonitor(ports), at(DeleteMonitor)),
    answer(bus, asks.keptRuns, name, kept, at(KeptRuns)),
    answer(bus, asks.forgetMonitors, name, forgetMonitors(ports), at(ForgetProject)),
  ])
}
