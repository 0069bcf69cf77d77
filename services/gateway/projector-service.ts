/**
 * The wiring of the projector. It alone writes the read model, from the streams, and publishes its progress. It also
 * compares the runs of monitors, because the comparison uses the read model.
 */
import { beat } from '@tidemark/bus/heartbeat'
import { reporter } from '@tidemark/bus/outages'
import { serve } from '@tidemark/bus/rpc'
import { readSettings } from '@tidemark/config/settings'
import { named } from '@tidemark/contracts/health'
import type { Projected } from '@tidemark/contracts/notifications'
import * as exportsRpc from '@tidemark/contracts/rpc/exports'
import type { ForgetProject, ForgottenResponse } from '@tidemark/contracts/rpc/forget'
import * as forgetRpc from '@tidemark/contracts/rpc/forget'
import * as operatorRpc from '@tidemark/contracts/rpc/operator'
import type { Reached } from '@tidemark/contracts/rpc/runs'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import { notifications, streams } from '@tidemark/contracts/subjects'
import { type Lag, lagOf } from '@tidemark/db/lag'
import { type OfProject, ofProject } from '@tidemark/db/of-project'
import { openServers } from '@tidemark/db/open-servers'
import { type Projection, runProjection } from '@tidemark/db/projector'
import { measureLags } from '@tidemark/telemetry/lag-metrics'
import { createLog } from '@tidemark/telemetry/log'
import { measurePool } from '@tidemark/telemetry/pool-metrics'
import { database } from './database.ts'
import { openDiffReads } from './diffs/adapters/diff-reads.ts'
import { openFewWords } from './diffs/adapters/few-words.ts'
import { openIntentLines } from './diffs/adapters/intent-lines.ts'
import { openRunRules } from './diffs/adapters/run-rules.ts'
import { compareRuns } from './diffs/compare-runs.ts'
import { judgeIntents } from './diffs/judge-intents.ts'
import { openContents } from './live-pages/adapters/contents.ts'
import { openModels } from './live-pages/adapters/models.ts'
import { openMetering } from './metering/adapters/metering.ts'
import { readActivity } from './read-model/adapters/project-activity.ts'
import { forgetCalls, sweepLog } from './read-model/projections/audit.ts'
import { sweepDeletedRuns } from './read-model/projections/deleted-runs.ts'
import { listExportPages } from './read-model/projections/export-pages.ts'
import { readModel } from './read-model/projections/read-model.ts'
import { ProjectorSettings } from './settings.ts'

const name = 'projector'

export async function startService(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<AsyncDisposable> {
  const settings = readSettings(ProjectorSettings, env)
  const log = createLog(name)
  const report = reporter(log, 'events could not be projected')
  const stop = new AbortController()

  await using started = new AsyncDisposableStack()
  const { bus, db } = await openServers(started, { name, settings, database, poolSize: 8, report })
  const { pool } = db
  started.use(measurePool(name, pool))
  const health: Health = { cause: null }
  const common = { bus, pool, schema: database.schema, partition: 'all', signal: stop.signal, report }
  const reads = ofProject(pool)
  const contents = openContents(bus)
  const diffs = openDiffReads(reads, settings.DIFF_HASH, openFewWords(reads, contents))
  const comparing = compareRuns({
    ...common,
    diffs,
    report: (error, runId) =>
      log.error({ err: error, run: runId }, 'a run could not be compared; it will be retried'),
  })
  const linesOf = openIntentLines({ reads, diffs, contents, rulesOf: openRunRules(reads) })
  const judging = startJudging({ ...common, linesOf }, (err, run) =>
    log.error({ err, run }, 'the changes of a run could not be judged'),
  )
  const lags = () =>
    Promise.all(
      readModel.map(({ name: projection, stream, filter }) =>
        lagOf({ ...common, projection, stream, filter }),
      ),
    )
  started.use(measureLags(lags))
  const running = Promise.all(
    readModel.map(({ name, stream, filter, apply }) => {
      const projection = { ...common, name, stream, filter, apply: apply(report) }
      return follow(health, projection, name === 'runs' ? comparing.look : () => {})
    }),
  )
  const sweeping = [sweepDeletedRuns(common), sweepLog({ ...common, days: settings.LOG_RETENTION_DAYS })]
  const serving = serveReads({ ...common, reads, lags })
  started.defer(
    async () => void (await Promise.all([running, comparing.ended, judging, serving, ...sweeping])),
  )
  started.defer(() => stop.abort())
  started.use(await beat(bus, { service: name, instance: settings.INSTANCE, check: () => health.cause }))
  signal.addEventListener('abort', () => stop.abort(), { once: true })
  return started.move()
}

type Reads = Pick<Projection, 'bus' | 'pool' | 'signal'> & {
  report: (error: unknown) => void
  reads: OfProject
  lags: () => Promise<Lag[]>
}

/** Resolves once the signal has aborted and the received requests have their responses. */
function serveReads({ bus, pool, reads, lags, ...serving }: Reads): Promise<unknown> {
  const forget = async ({ projectId }: ForgetProject): Promise<ForgottenResponse> => ({
    forgotten: await forgetCalls(pool, projectId),
  })
  return Promise.all([
    serve(bus, runsRpc.reached.projector, () => reached(pool), serving),
    serve(bus, forgetRpc.forgetCalls, forget, serving),
    serve(bus, operatorRpc.lags.projector, async () => ({ lags: await lags() }), serving),
    serve(bus, operatorRpc.readActivity, readActivity(pool), serving),
    serve(bus, exportsRpc.listExportPages, listExportPages(reads), serving),
  ])
}

type Judging = Parameters<typeof judgeIntents>[0]

const startJudging = (
  common: Pick<Judging, 'bus' | 'pool' | 'linesOf' | 'signal'>,
  report: Judging['report'],
): Promise<void> =>
  judgeIntents({ ...common, models: openModels(common.bus), metering: openMetering(common.bus), report })

/** Returns the committed position in the runs, without waiting. During a rebuild the row is locked, so it is 0. */
async function reached(pool: Projection['pool']): Promise<Reached> {
  const { rows } = await pool.query<{ sequence: number }>(
    `select sequence from read.checkpoint where projection = 'runs' and stream = $1
     for key share skip locked`,
    [streams.runs],
  )
  return { sequence: rows[0]?.sequence ?? 0 }
}

/** Why the read model no longer follows the streams, or null. The heartbeat sends it. */
type Health = { cause: string | null }

async function follow(health: Health, projection: Projection, then: () => void): Promise<void> {
  const { bus, name, stream } = projection
  const onCommitted = (sequence: number) => {
    const projected: Projected = { stream, sequence }
    bus.nc.publish(notifications.projected(name), JSON.stringify(projected))
    then()
  }
  const end = await runProjection({ ...projection, onCommitted })
  if (end === 'stream-went-backwards')
    health.cause = named('stream_went_backwards', `${stream} ends before what ${name} has projected`)
}
