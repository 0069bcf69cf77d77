/** crawl-coordinator, wired: it admits runs, keeps those of its shards, and answers for them. */
import { answer, ask } from '@tidemark/bus/ask'
import { jsonParser } from '@tidemark/bus/codec'
import { type Bus, openBus } from '@tidemark/bus/connection'
import { beat } from '@tidemark/bus/heartbeat'
import { reporter } from '@tidemark/bus/outages'
import { currentTraceparent } from '@tidemark/bus/trace'
import { readSettings } from '@tidemark/config/settings'
import { openArchives } from '@tidemark/content/archive'
import { ExplainUrl, GetCoverage, ListErrors } from '@tidemark/contracts/ask/explain'
import { JudgeUrls } from '@tidemark/contracts/ask/judge'
import {
  CancelRun,
  DeleteRun,
  FindStarted,
  GetRun,
  IsRunActive,
  StartRun,
} from '@tidemark/contracts/ask/runs'
import type { HoldUnits, HoldUnitsAnswer } from '@tidemark/contracts/ask/usage'
import { asks, runsReaders, shardOf, streams, tells } from '@tidemark/contracts/subjects'
import type { RunAwaits, RunEnded } from '@tidemark/contracts/tells'
import { type Database, openDatabase } from '@tidemark/db/database'
import { relay } from '@tidemark/db/outbox'
import { watchDatabase } from '@tidemark/db/watch'
import { jetStreamEventStore } from '@tidemark/eventstore/jetstream'
import type { EventStore } from '@tidemark/eventstore/store'
import { createLog } from '@tidemark/telemetry/log'
import { measurePool } from '@tidemark/telemetry/pool-metrics'
import type { TSchema } from 'typebox'
import { type Admissions, admissions } from './adapters/admissions.ts'
import { archivable } from './adapters/archivable.ts'
import { archivedStore } from './adapters/archived-store.ts'
import { deletions } from './adapters/deletions.ts'
import { expirable } from './adapters/expirable.ts'
import { keys } from './adapters/keys.ts'
import { leases } from './adapters/leases.ts'
import { measuredStore } from './adapters/measured-store.ts'
import { pageIds } from './adapters/page-ids.ts'
import { reachedByAll } from './adapters/readers.ts'
import { retainedBy } from './adapters/retained.ts'
import { validatorsFrom } from './adapters/revisits.ts'
import { runStream } from './adapters/run-stream.ts'
import { sendOrders } from './adapters/send-orders.ts'
import { termsBy } from './adapters/terms.ts'
import { database } from './database.ts'
import { secondsIn } from './domain/duration.ts'
import { answerFor } from './handlers/answer-for.ts'
import { cancelRun } from './handlers/cancel-run.ts'
import { deleteRun } from './handlers/delete-run.ts'
import { findStarted } from './handlers/find-started.ts'
import { foldRun } from './handlers/fold-run.ts'
import { getRun } from './handlers/get-run.ts'
import { isActive } from './handlers/is-active.ts'
import { judgeUrls } from './handlers/judge-urls.ts'
import { measureFrontiers } from './handlers/measure-frontiers.ts'
import { type Ports as KeeperPorts, type RunKeeper, runKeeper } from './handlers/run-keeper.ts'
import { ownedShards, type Shards } from './handlers/shards.ts'
import { startRun } from './handlers/start-run.ts'
import { expiring } from './policies/expire-runs.ts'
import { lookAfterEnded } from './policies/look-after-ended.ts'
import { lookAfterShards } from './policies/look-after-shards.ts'
import { lookAfterStream, type StreamLook } from './policies/look-after-stream.ts'
import { retentionOf, Settings } from './settings.ts'
import { fewAtATime } from './turns/few-at-a-time.ts'

const name = 'crawl-coordinator'

/** After a start every run that goes on is folded: so many of them are read at a time. */
const foldedAtOnce = 4
const holdMs = 3_000

/** Starts the service; disposing gives its shards to others. */
export async function startService(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<AsyncDisposable> {
  const settings = readSettings(Settings, env)
  const log = createLog(name)
  const report = reporter(log)
  const stop = new AbortController()

  await using started = new AsyncDisposableStack()
  const bus = started.adopt(await openBus({ url: settings.NATS_URL, name }), bus => bus.close())
  started.use(report.follow(bus))
  const options = { poolSize: 7, name }
  const db = started.adopt(await openDatabase(settings.DATABASE_URL, database, options), db => db.close())
  started.use(watchDatabase({ bus, pool: db.pool, database }))
  const admitted = admissions(db)
  const ids = pageIds(db.pool)
  started.use(measurePool(name, db.pool))
  const stream = started.use(lookAfterStream({ bus, pool: db.pool, report }))
  const events = measuredStore(jetStreamEventStore(bus, streams.runs, stream.appended))
  const store = archivedStore(events, openArchives(db.pool))
  const folding = fewAtATime(foldedAtOnce)
  const keeping = {
    store,
    fold: (runId: number) => folding(() => foldRun(store, runId)),
    ids,
    hold: (question: HoldUnits) =>
      ask<HoldUnits, HoldUnitsAnswer>(bus, asks.holdUnits, question, { timeoutMs: holdMs }),
    findTerms: started.use(termsBy(bus)).find,
    send: sendOrders({
      bus,
      addValidators: validatorsFrom({ pool: db.pool, report }),
      signal: stop.signal,
      report,
    }),
    robotsToken: settings.ROBOTS_TOKEN,
    runLimitMs: secondsIn(settings.RUN_TIME_LIMIT) * 1000,
    trapsOff: new Set(settings.TRAP_RULES_OFF),
    released: release(bus, admitted),
    report,
  }
  const shards = ownedShards({ bus, room: settings.ORDERS_OUT, ...keeping })
  const leased = leases(db.pool, settings.INSTANCE)
  started.defer(() => leased.release())
  started.defer(() => shards.close())
  started.use(measureFrontiers(shards))
  const running = { bus, db, stream, shards, admissions: admitted, ...keeping, signal: stop.signal }
  const looking = await lookAfterShards({ ...running, leases: leased })
  started.defer(() => looking.ended.then(() => {}))
  const removing = answerQuestions(running)
  const ended = startSweeping(running, settings, removing)
  started.defer(() => ended)
  started.use(await beat(bus, { service: name, instance: settings.INSTANCE }))
  started.defer(() => stop.abort())
  signal.addEventListener('abort', () => stop.abort(), { once: true })
  return started.move()
}

type Running = Omit<KeeperPorts, 'window' | 'ended' | 'unknown' | 'store'> & {
  bus: Bus
  db: Database
  stream: StreamLook
  store: EventStore
  shards: Shards
  admissions: Admissions
  released: KeeperPorts['ended']
  signal: AbortSignal
}

/** Gives a run's slot back, and lets the fetchers know when what they hold of it is no longer wanted. */
const release =
  (bus: Bus, { release }: Admissions): KeeperPorts['ended'] =>
  async (runId, calledOff, doneAt) => {
    if (calledOff) bus.nc.publish(tells.runEnded, JSON.stringify({ runId } satisfies RunEnded))
    await release(runId, doneAt)
  }

function startSweeping(
  { bus, db, stream, store, signal, report }: Running,
  settings: Settings,
  remove: ReturnType<typeof deleteRun>,
): Promise<void> {
  return lookAfterEnded({
    bus,
    db,
    store,
    deletions: deletions(db.pool),
    archivable: archivable(db.pool),
    keys: keys(db.pool),
    archives: openArchives(db.pool),
    stream: runStream(bus),
    async reached() {
      const byReaders = await reachedByAll(bus, runsReaders)
      return byReaders === null ? null : Math.min(byReaders, await stream.noted())
    },
    archiveAfter: secondsIn(settings.ARCHIVE_AFTER),
    expiring: expiring({
      ...retainedBy(bus),
      expirable: expirable(db.pool),
      retention: retentionOf(settings),
      remove,
      now: Date.now,
      report,
    }),
    signal,
    report,
  })
}

/** How a run is deleted. */
function answerQuestions(running: Running): ReturnType<typeof deleteRun> {
  const { bus, db, store, shards, admissions, signal, report } = running
  const outbox = relay({ bus, pool: db.pool, schema: database.schema, signal, report })
  const tellAwaits = (runId: number) =>
    bus.nc.publish(tells.runAwaits(shardOf(runId)), JSON.stringify({ runId } satisfies RunAwaits))
  const starting = startRun({
    store,
    admissions,
    publishNow: id => outbox.publishNow(id),
    tellAwaits,
    report,
  })
  const keeper = (runId: number) => shards.keeper(runId) ?? passingKeeper(running, runId)

  const at = <Q extends TSchema>(schema: Q) => ({ parse: jsonParser(schema), signal, report })
  void answer(bus, asks.startRun, name, question => starting(question, currentTraceparent()), at(StartRun))
  void answer(bus, asks.findStarted, name, findStarted({ store, admissions }), at(FindStarted))
  void answer(bus, asks.getRun, name, getRun({ ...running, kept: shards.kept }), at(GetRun))
  void answer(bus, asks.isRunActive, name, isActive({ store, admissions }), at(IsRunActive))
  void answer(bus, asks.cancelRun, name, cancelRun({ admissions, keeper }), at(CancelRun))
  const deleting = deleteRun({ store, admissions, deletions: deletions(db.pool), keeper })
  void answer(bus, asks.deleteRun, name, deleting, at(DeleteRun))
  void answer(bus, asks.judgeUrls, name, judgeUrls(running), at(JudgeUrls))
  const answers = answerFor({ store, admissions, kept: shards.kept, trapsOff: running.trapsOff })
  void answer(bus, asks.getCoverage, name, answers.coverage, at(GetCoverage))
  void answer(bus, asks.listErrors, name, answers.errors, at(ListErrors))
  void answer(bus, asks.explainUrl, name, answers.explain, at(ExplainUrl))
  hearOfRuns(running)
  return deleting
}

/** Of what is told elsewhere. What comes of it the keepers report. */
function hearOfRuns({ bus, shards }: Running): void {
  bus.nc.subscribe(tells.runsAwait, {
    callback: (_error, message) => {
      shards.keeper(message.json<RunAwaits>().runId)?.lookAfter().catch(nothing)
    },
  })
  // Another instance may have ended a run that is kept here.
  bus.nc.subscribe(tells.runEnded, {
    callback: (_error, message) => {
      shards.kept(message.json<RunEnded>().runId)?.catchUp().catch(nothing)
    },
  })
}

const nothing = () => undefined

/** A keeper for one command on a run that another instance looks after. */
function passingKeeper(running: Running, runId: number): RunKeeper {
  return runKeeper(
    runId,
    { ...running, window: () => 0, ended: running.released, unknown: nothing },
    running.signal,
  )
}
