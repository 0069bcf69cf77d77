/** Serves the requests of other services, and receives their notifications about runs. */
import { onNotification } from '@tidemark/bus/requests/notifications'
import { serve } from '@tidemark/bus/rpc'
import { currentTraceparent } from '@tidemark/bus/trace'
import { RunAwaits, RunEnded } from '@tidemark/contracts/notifications'
import * as asOfRpc from '@tidemark/contracts/rpc/as-of'
import * as explainRpc from '@tidemark/contracts/rpc/explain'
import * as judgeRpc from '@tidemark/contracts/rpc/judge'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import { notifications, shardOf } from '@tidemark/contracts/subjects'
import { relay } from '@tidemark/db/outbox'
import { deletions } from '../adapters/deletions.ts'
import { database } from '../database.ts'
import { answerAsOf } from '../handlers/answer-as-of.ts'
import { cancelRun, deleteRun } from '../handlers/end-run.ts'
import { explainRun } from '../handlers/explain-run.ts'
import { getRun, isActive } from '../handlers/get-run.ts'
import { judgeUrls } from '../handlers/judge-urls.ts'
import { changeRun } from '../handlers/pause-run.ts'
import { reopenRun } from '../handlers/reopen-run.ts'
import { RunKeeper } from '../handlers/run-keeper.ts'
import { getRunSettings } from '../handlers/run-settings.ts'
import { findStarted, startRun } from '../handlers/start-run.ts'
import type { CoordinatorParts } from './parts.ts'

type Served = {
  /** Deletes a run, as a request does. */
  deleting: ReturnType<typeof deleteRun>
  /** Resolves once the signal has aborted and the received requests have their responses. */
  ended: Promise<unknown>
}

/** Serves until the signal aborts. */
export function serveRequests(parts: CoordinatorParts): Served {
  const { bus, db, store, shards, admissions, signal, report } = parts
  const outbox = relay({ bus, pool: db.pool, schema: database.schema, signal, report })
  const notifyAwaits = (runId: number) =>
    bus.nc.publish(notifications.runAwaits(shardOf(runId)), JSON.stringify({ runId } satisfies RunAwaits))
  const starting = startRun({ ...parts, publishNow: id => outbox.publishNow(id), notifyAwaits })
  const keeper = (runId: number) => shards.keeper(runId) ?? passingKeeper(parts, runId)
  const kept = (runId: number) => shards.kept(runId)

  const serving = { signal, report }
  const changing = { admissions, keeper, notifyAwaits }
  const deleting = deleteRun({ ...parts, deletions: deletions(db.pool), keeper })
  const answers = explainRun({ ...parts, kept })
  const past = answerAsOf(parts)
  const ended = Promise.all([
    serve(bus, runsRpc.startRun, request => starting(request, currentTraceparent()), serving),
    serve(bus, runsRpc.findStarted, findStarted({ store, admissions }), serving),
    serve(bus, runsRpc.getRun, getRun({ ...parts, kept }), serving),
    serve(bus, runsRpc.getRunSettings, getRunSettings(parts), serving),
    serve(bus, runsRpc.isRunActive, isActive({ store, admissions }), serving),
    serve(bus, runsRpc.cancelRun, cancelRun({ admissions, keeper }), serving),
    serve(bus, runsRpc.pauseRun, changeRun(changing, 'pause'), serving),
    serve(bus, runsRpc.resumeRun, changeRun(changing, 'resume'), serving),
    serve(bus, runsRpc.reopenRun, reopenRun({ ...changing, store }), serving),
    serve(bus, runsRpc.deleteRun, deleting, serving),
    serve(bus, judgeRpc.judgeUrls, judgeUrls(parts), serving),
    serve(bus, explainRpc.getCoverage, answers.coverage, serving),
    serve(bus, explainRpc.listErrors, answers.errors, serving),
    serve(bus, explainRpc.explainUrl, answers.explain, serving),
    serve(bus, explainRpc.getHosts, answers.hosts, serving),
    serve(bus, asOfRpc.getRunAsOf, past.run, serving),
    serve(bus, asOfRpc.getCoverageAsOf, past.coverage, serving),
    serve(bus, asOfRpc.listErrorsAsOf, past.errors, serving),
  ])
  subscribeToRuns(parts)
  return { deleting, ended: ended.then(() => outbox.close()) }
}

/** Handles notifications about runs. The keepers report their own faults. */
function subscribeToRuns({ bus, shards }: CoordinatorParts): void {
  onNotification(bus, notifications.runsAwait, RunAwaits, ({ runId }) => {
    const keeper = shards.keeper(runId)
    // Another instance may have paused or resumed a run that is kept here.
    const look = keeper?.frontier ? keeper.catchUp() : keeper?.lookAfter()
    look?.catch(nothing)
  })
  // Another instance may have ended a run that is kept here.
  onNotification(bus, notifications.runEnded, RunEnded, ({ runId }) => {
    shards.kept(runId)?.catchUp().catch(nothing)
  })
}

const nothing = () => undefined

/** Returns a keeper for one command on a run of another instance. */
const passingKeeper = (parts: CoordinatorParts, runId: number): RunKeeper =>
  new RunKeeper(runId, { ...parts, window: () => 0, ended: parts.released, unknown: nothing }, parts.signal)
