/**
 * Judges the changes of monitors' runs by their intents, after the comparison, and appends each judgement to the run
 * (facet `diff`). A process judges each run only once: the result of a judgement that fails is unknown, so that no
 * webhook waits for it. The append of a result is retried while the stream is unavailable or full. If several processes
 * find the same run, the reservation of the call lets one of them judge it, the stream accepts one result, and the
 * ledger bills one call.
 */

import type { Bus } from '@tidemark/bus/connection'
import { insist } from '@tidemark/bus/insist'
import { repeat } from '@tidemark/bus/repeat'
import { withWorkSpan } from '@tidemark/bus/trace'
import type { DiffCommit, IntentJudgement } from '@tidemark/contracts/diff'
import type { ModelUse } from '@tidemark/contracts/http/extraction'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { spanAttributes, spanNames } from '@tidemark/contracts/traces'
import type { Projection } from '@tidemark/db/projector'
import { jetStreamEventStore } from '@tidemark/eventstore/jetstream'
import type { Models } from '../live-pages/adapters/models.ts'
import { callModel, type ModelPorts, underWay } from '../live-pages/call-model.ts'
import type { openIntentLines } from './adapters/intent-lines.ts'
import { appendDiff } from './append-diff.ts'

type Ports = {
  bus: Bus
  pool: Projection['pool']
  linesOf: ReturnType<typeof openIntentLines>
  models: ModelPorts['models'] & Pick<Models, 'judge'>
  metering: ModelPorts['metering']
  signal: AbortSignal
  /** Called for each judgement that fails, and without a run if the search for runs failed. */
  report: (error: unknown, runId?: number) => void
}

type Waiting = { id: number; project_id: number; url: string; intent: string }
type Judged = IntentJudgement & { use: ModelUse | null }

/** Hours after the end of a run in which its judgement is useful. Afterwards the webhook has already been sent. */
const usefulHours = 1
/** Maximum number of concurrent judgements. Each waits for the model, which has its own limit. */
const atOnce = 8
/** Maximum number of judgements of a project in progress, so that others have slots. */
const perProject = 2
const pauseMs = 1_000
const maxTried = 10_000

/** Selects up to $2 runs that are not among $1. $3 has the project of each judgement in progress. */
const waiting = `
  select id, project_id, url, intent from (
    select id, project_id, url, intent, row_number() over (partition by project_id order by id) as position
    from read.run
    where intent is not null and judgement is null and status = 'done' and finished_at > now() - interval '${usefulHours} hours'
      and (diff ->> 'added')::int + (diff ->> 'removed')::int + (diff ->> 'changed')::int > 0
      and not id = any($1)
  ) as waiting
  where position + cardinality(array_positions($3::bigint[], project_id)) <= ${perProject}
  order by position, id limit $2`

/** Judges until the signal aborts. Resolves when the last judgement has ended. */
export async function judgeIntents(ports: Ports): Promise<void> {
  const { bus, pool, signal, report } = ports
  const judge = judgeOf(ports)
  const inProgress = new Map<number, { projectId: number; judging: Promise<void> }>()
  const tried = new Set<number>()
  const look = async () => {
    const free = atOnce - inProgress.size
    if (free <= 0) return
    if (tried.size > maxTried) tried.clear()
    const busy = [...inProgress.values()].map(({ projectId }) => projectId)
    const { rows } = await pool.query<Waiting>(waiting, [[...tried, ...inProgress.keys()], free, busy])
    for (const run of rows) {
      tried.add(run.id)
      const judging = judge(run)
        .catch(error => signal.aborted || report(error, run.id))
        .then(() => void inProgress.delete(run.id))
      inProgress.set(run.id, { projectId: run.project_id, judging })
    }
  }
  await repeat(look, { name: 'the search for runs to judge', bus, isSpare: true, pauseMs, signal, report })
  await Promise.all([...inProgress.values()].map(({ judging }) => judging))
}

/** Returns a function that judges a run and appends the judgement. */
function judgeOf(ports: Ports): (run: Waiting) => Promise<void> {
  const events = jetStreamEventStore(ports.bus, streams.runs)
  return async run => {
    const signal = AbortSignal.any([ports.signal, AbortSignal.timeout(usefulHours * 3_600_000)])
    const insistence = { signal, report: (error: unknown) => ports.report(error, run.id) }
    const last = await insist(() => events.last<DiffCommit>(subjects.run(run.id, 'diff')), insistence)
    const compared = last?.commit.events.find(({ type }) => type === 'RunCompared')
    if (last === null || compared === undefined) return
    const { previousRunId } = compared.data
    const { trace } = last.commit
    const about = { [spanAttributes.runId]: run.id, [spanAttributes.projectId]: run.project_id }
    await withWorkSpan(spanNames.judgeIntent, { service: 'projector', trace }, about, async () => {
      const judged = await judgedOf(ports, run, previousRunId)
      if (judged === null) return
      const data = { runId: run.id, projectId: run.project_id, previousRunId, ...judged }
      const judgement = { type: 'IntentJudged', data } as const
      await insist(() => appendDiff(events, last.sequence, judgement, trace), insistence)
    })
  }
}

const unknown = (reason: string): Judged => ({ matched: null, reason, quotes: [], use: null })

/**
 * Returns the judgement; null: another process judges the run. Never rejects, unless the signal has aborted: a judgement
 * that fails is unknown.
 */
async function judgedOf(ports: Ports, run: Waiting, previousRunId: number): Promise<Judged | null> {
  const { linesOf, models, signal, report } = ports
  const { id, project_id: projectId, url, intent } = run
  try {
    const judgeLines = async (): Promise<Judged> => {
      const lines = await linesOf({ projectId, oldRun: previousRunId, newRun: id }, signal)
      return lines.pages.length === 0 ? unknown('not_stored') : models.judge({ projectId, intent, ...lines })
    }
    // A second judgement of the run has the same id, so it is billed once.
    const work = {
      projectId,
      requestId: `intent ${id}`,
      isOnce: true,
      operation: 'monitor_intent',
      what: url,
    } as const
    const judged = await callModel(ports, work, judgeLines)
    if (judged === underWay) return null
    return typeof judged === 'string' ? unknown(judged) : judged
  } catch (error) {
    signal.throwIfAborted()
    report(error, id)
    return unknown('model_failed')
  }
}
