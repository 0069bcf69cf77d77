/**
 * Whenever a run of a monitor is done, and it and the run before are in the read model, it is told once how they
 * differ: facet `diff` of the run. Whoever dies on the way is followed by whoever looks next, and of two who compare
 * at the same time the stream takes one.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus } from '@tidemark/bus/connection'
import type { DiffCommit, DiffCounts, DiffEvent } from '@tidemark/contracts/diff'
import { streams, subjects } from '@tidemark/contracts/subjects'
import type { Projection } from '@tidemark/db/projector'
import { jetStreamEventStore } from '@tidemark/eventstore/jetstream'
import { Conflict } from '@tidemark/eventstore/store'
import { baselineOf } from '../adapters/baseline.ts'
import type { DiffReads } from '../adapters/diff-reads.ts'
import type { Difference } from '../domain/difference.ts'

type Ports = {
  bus: Bus
  pool: Projection['pool']
  diffs: Pick<DiffReads, 'compare'>
  signal: AbortSignal
  report: (error: unknown) => void
}

type Waiting = {
  id: number
  project_id: number
  previous_run_id: number
}

/** Nobody waits longer for one: a run that ended before is compared when somebody asks. */
const keptFor = '1 hour'
const runsAtOnce = 20
const mostTold = 1_000
const lookMs = 2_000
/** Rows change often while runs go on, and few of them are an end. */
const betweenMs = 100
/** After a fault. */
const restMs = 5_000

const waiting = `
  select id, project_id, previous_run_id from read.run
  where previous_run_id is not null and diff is null and status = 'done'
    and finished_at > now() - interval '${keptFor}' and not id = any($1)
  order by id limit ${runsAtOnce}`

export type Comparing = {
  /** Something may have ended. */
  look(): void
  ended: Promise<void>
}

/** Looks whenever it is told to, and now and then, until the signal aborts. */
export function compareRuns({ bus, pool, diffs, signal, report }: Ports): Comparing {
  const events = jetStreamEventStore(bus, streams.runs)
  /** Appended, and on their way into the read model. */
  const told = new Set<number>()
  let wake = () => {}
  let isCalled = false

  async function lookOnce(): Promise<boolean> {
    const { rows } = await pool.query<Waiting>(waiting, [[...told]])
    let failures = 0
    for (const run of rows) {
      if (signal.aborted) return false
      try {
        await append(run, await compared(run))
        told.add(run.id)
      } catch (error) {
        failures++
        report(error)
      }
    }
    if (told.size > mostTold) told.clear()
    return failures === 0 && rows.length === runsAtOnce
  }

  async function compared(run: Waiting): Promise<DiffEvent> {
    const { id: runId, project_id: projectId, previous_run_id: previousRunId } = run
    const baseline = await baselineOf(pool, runId)
    if (baseline === 'previous_run_deleted' || baseline === 'no_baseline')
      return { type: 'RunNotCompared', data: { runId, projectId, previousRunId, reason: baseline } }
    const counts = countsOf(await diffs.compare(projectId, baseline, runId))
    return { type: 'RunCompared', data: { runId, projectId, previousRunId: baseline, counts } }
  }

  async function append({ id }: Waiting, event: DiffEvent): Promise<void> {
    const commit: DiffCommit = { at: new Date().toISOString(), events: [event] }
    try {
      await events.append(subjects.run(id, 'diff'), 0, commit)
    } catch (error) {
      if (!(error instanceof Conflict)) throw error
    }
  }

  async function goOn(): Promise<void> {
    while (!signal.aborted) {
      isCalled = false
      let pauseMs = lookMs
      try {
        if (await lookOnce()) continue
      } catch (error) {
        report(error)
        pauseMs = restMs
      }
      await sleep(betweenMs, undefined, { signal }).catch(() => {})
      if (!signal.aborted && (!isCalled || pauseMs === restMs)) await pause(pauseMs)
    }
  }

  const pause = (ms: number) =>
    new Promise<void>(resolve => {
      const timer = setTimeout(done, ms)
      function done() {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      signal.addEventListener('abort', done, { once: true })
      wake = done
    })

  return {
    look() {
      isCalled = true
      wake()
    },
    ended: goOn(),
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
