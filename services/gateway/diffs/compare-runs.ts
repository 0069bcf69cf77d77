/**
 * Compares each finished run of a monitor with its baseline, once both are in the read model, and appends the
 * difference to the run (facet `diff`). After a crash the next round continues. If two processes compare a run
 * concurrently, the stream accepts one result.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { causeOf } from '@tidemark/bus/cause'
import type { Bus } from '@tidemark/bus/connection'
import { withWorkSpan } from '@tidemark/bus/trace'
import { reportFailing, reportWorking } from '@tidemark/bus/troubles'
import { WakeUp } from '@tidemark/bus/wake-up'
import type { DiffCounts, DiffEvent } from '@tidemark/contracts/diff'
import { named } from '@tidemark/contracts/health'
import type { RunCommit } from '@tidemark/contracts/run'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { spanAttributes, spanNames } from '@tidemark/contracts/traces'
import type { Projection } from '@tidemark/db/projector'
import { jetStreamEventStore } from '@tidemark/eventstore/jetstream'
import { baselineOf } from './adapters/baseline.ts'
import type { DiffReads } from './adapters/diff-reads.ts'
import { appendDiff } from './append-diff.ts'
import type { Difference } from './domain/difference.ts'
import { RetryPauses } from './domain/retry-pauses.ts'

type Ports = {
  bus: Bus
  pool: Projection['pool']
  diffs: Pick<DiffReads, 'compare'>
  signal: AbortSignal
  /** Called for each failed comparison, and without a run if the search for runs failed. */
  report: (error: unknown, runId?: number) => void
}

type Waiting = { id: number; project_id: number; previous_run_id: number }

/**
 * Maximum age of runs that are compared. No client waits longer for a comparison, and older runs are compared on
 * request.
 */
const keptFor = '1 hour'
const runsAtOnce = 20
const maxAppended = 1_000
const pollIntervalMs = 2_000
/**
 * Milliseconds between two rounds. Rows change often while runs are in progress, and few of these changes end a run.
 */
const betweenMs = 100
/** Pause in ms after an error. Wake-ups do not shorten it. */
const restMs = 5_000
/** Milliseconds of failing searches after which the service reports an error. */
const faultyMs = 60_000
const work = 'compare runs'
/** Pause in ms before a failed comparison is retried for the first time. It is longer than the interval of rounds. */
const firstPauseMs = 5_000
/** Pauses in ms that no wake-up shortens. */
const unbroken = { called: betweenMs, later: pollIntervalMs, rested: restMs }
/** Maximum number of failed runs, far more than can fail within an hour. */
const maxFailed = 10_000

/** Projects alternate, so that the many runs of one do not delay those of another. */
const waiting = `
  select id, project_id, previous_run_id from read.run
  where previous_run_id is not null and diff is null and status = 'done'
    and finished_at > now() - interval '${keptFor}' and not id = any($1)
  order by row_number() over (partition by project_id order by id), id limit ${runsAtOnce}`

export type Comparing = {
  /** Starts a round now, because a run may have ended. */
  look(): void
  ended: Promise<void>
}

/** When the next round starts: immediately, on a wake-up, after an interval, or after the pause for errors. */
type Next = 'again' | 'called' | 'later' | 'rested'

/** Compares runs on each wake-up and at intervals, until the signal aborts. */
export function compareRuns(ports: Ports): Comparing {
  const { bus, pool, signal, report } = ports
  const { nc } = bus
  const compare = comparer(ports)
  /** Runs whose result is appended and not yet in the read model. */
  const appended = new Set<number>()
  const pauses = new RetryPauses({ firstMs: firstPauseMs, max: maxFailed })
  const wakeUp = new WakeUp()

  async function compareSome(): Promise<Next> {
    const others = [...appended, ...pauses.waiting(performance.now())]
    const { rows } = await pool.query<Waiting>(waiting, [others])
    let failures = 0
    for (const run of rows) {
      if (signal.aborted) return 'later'
      if (!(await isCompared(run))) failures++
    }
    if (appended.size > maxAppended) appended.clear()
    if (failures > 0) return 'later'
    return rows.length === runsAtOnce ? 'again' : 'called'
  }

  async function isCompared(run: Waiting): Promise<boolean> {
    try {
      await compare(run)
    } catch (error) {
      if (signal.aborted) return false
      pauses.failed(run.id, performance.now())
      report(error, run.id)
      return false
    }
    pauses.succeeded(run.id)
    appended.add(run.id)
    return true
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const next = await compareSome().then(
        found => succeeded(nc, found),
        error => failed(ports, error),
      )
      if (next === 'again') continue
      await sleep(unbroken[next], undefined, { signal }).catch(() => {})
      if (next === 'called') await wakeUp.pause(pollIntervalMs, signal)
    }
  }

  return { look: () => wakeUp.call(), ended: run() }
}

function succeeded(nc: Bus['nc'], next: Next): Next {
  reportWorking(nc, work)
  return next
}

function failed({ bus, report }: Ports, error: Error): Next {
  report(error)
  const text = `the search for runs to compare failed: ${error.message}`
  reportFailing(bus.nc, work, named(causeOf(error, 'loop_failing'), text), faultyMs)
  return 'rested'
}

/** Returns a function that compares a run and appends the result. It throws if the run cannot be compared now. */
function comparer({ bus, pool, diffs, signal }: Ports): (run: Waiting) => Promise<void> {
  const events = jetStreamEventStore(bus, streams.runs)
  return async run => {
    const trace = (await events.last<RunCommit>(subjects.run(run.id)))?.commit.trace
    const about = { [spanAttributes.runId]: run.id, [spanAttributes.projectId]: run.project_id }
    await withWorkSpan(spanNames.compareRuns, { service: 'projector', trace }, about, async () =>
      appendDiff(events, 0, await compared(run), trace),
    )
  }

  async function compared(run: Waiting): Promise<DiffEvent> {
    const { id: runId, project_id: projectId, previous_run_id: previousRunId } = run
    const baseline = await baselineOf(pool, runId)
    if (baseline === 'previous_run_deleted' || baseline === 'no_baseline')
      return { type: 'RunNotCompared', data: { runId, projectId, previousRunId, reason: baseline } }
    const difference = await diffs.compare(projectId, baseline, runId, signal)
    signal.throwIfAborted()
    const counts = countsOf(difference)
    return { type: 'RunCompared', data: { runId, projectId, previousRunId: baseline, counts } }
  }
}

const countsOf = (difference: Difference): DiffCounts => ({
  added: difference.added.length,
  removed: difference.removed.length,
  changed: difference.changedNew.length,
  unchanged: difference.unchanged,
  notRevisited: difference.notRevisited.ids.length,
  notCompared: difference.notCompared.ids.length,
})
