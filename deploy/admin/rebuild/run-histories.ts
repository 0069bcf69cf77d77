/** Folds RUNS like the coordinator, with its own domain code, and collects the facts that the invariants need. */
import type { StreamMessage } from '@tidemark/bus/read'
import { unitsOfCrawl } from '@tidemark/contracts/prices'
import type { RunCommit, RunEvent, Totals } from '@tidemark/contracts/run'
import { runOfSubject } from '@tidemark/contracts/subjects'
import { evolve } from '@tidemark/crawl-coordinator/domain/evolve/evolve'
import { type Run, totals, unknown } from '@tidemark/crawl-coordinator/domain/run'
import { noUnits, type Units } from '../billed-totals.ts'
import { decodeCommit } from '../legible.ts'

export type RunHistory = {
  runId: number
  run: Run
  /** Number of judged URLs by outcome, counted from the events when the run ended; null before. */
  counted: Totals | null
  /** Sequence of the event that ended it; null: it has not ended. */
  endedAt: number | null
  /** Number of times that it was reopened. */
  reopenings: number
  /** Number of settled pages, and the keys that were settled twice. */
  settled: number
  settledTwice: string[]
  /** Units of all settled pages, and of those that billing has reached. */
  billable: Units
  due: Units
  /** Units in its event `RunDeleted`; null: it was not deleted. */
  deletedWith: Units | null
}

export type Histories = {
  /** Histories by run id. */
  runs: ReadonlyMap<number, RunHistory>
  /** Unreadable parts, in sentences. Runs are judged without them. */
  illegible: readonly string[]
  take(messages: readonly StreamMessage[]): void
}

/**
 * Returns an empty collector. Only runs in `reopened` keep their URLs after their end, because they need memory.
 * @param billedUpTo the sequence that billing has reached: earlier pages must be billed
 */
export function runHistories(billedUpTo: number, reopened: ReadonlySet<number>): Histories {
  const runs = new Map<number, RunHistory>()
  const keys = new Map<number, Set<string>>()
  const illegible: string[] = []

  function take(messages: readonly StreamMessage[]): void {
    for (const message of messages) {
      const commit = decodeCommit<RunCommit>(message, illegible)
      if (commit === null) continue
      const { at, events, trace } = commit
      const { subject, sequence } = message
      const { runId } = runOfSubject(subject)
      const history = runs.get(runId) ?? emptyHistory(runId)
      runs.set(runId, history)
      for (const event of events) {
        record(history, event, sequence)
        history.run = evolve(history.run, event, at, trace)
      }
      if (!('finishedAt' in history.run) || reopened.has(runId)) continue
      keys.delete(runId)
      history.run = { ...history.run, before: null }
    }
  }

  function record(history: RunHistory, { type, data }: RunEvent, sequence: number): void {
    if (type === 'RunReopened') {
      history.reopenings++
      history.endedAt = null
      history.counted = null
    }
    if (type === 'RunFinished' && history.endedAt === null) {
      history.endedAt = sequence
      if (history.run.status === 'running') history.counted = totals(history.run)
    }
    if (type === 'RunDeleted')
      history.deletedWith = { page: data.billedPages, cloud_page: data.billedCloudPages ?? 0 }
    if (type !== 'PagesSettled') return
    const known = keys.get(history.runId) ?? new Set()
    keys.set(history.runId, known)
    for (const { key } of data.pages) {
      if (known.has(key)) history.settledTwice.push(key)
      known.add(key)
    }
    history.settled += data.pages.length
    const billable = billableOf(data.pages)
    history.billable = sumOf(history.billable, billable)
    if (sequence <= billedUpTo) history.due = sumOf(history.due, billable)
  }

  return { runs, illegible, take }
}

function billableOf(pages: readonly { blocked?: true; rendered?: true; carried?: unknown }[]): Units {
  const fetched = pages.filter(page => !page.carried)
  const blocked = fetched.filter(page => page.blocked).length
  const rendered = fetched.filter(page => page.rendered && !page.blocked).length
  return unitsOfCrawl({ fetched: fetched.length, blocked, rendered, carried: 0 })
}

const sumOf = (one: Units, other: Units): Units => ({
  page: one.page + other.page,
  cloud_page: one.cloud_page + other.cloud_page,
})

const emptyHistory = (runId: number): RunHistory => ({
  runId,
  run: unknown,
  counted: null,
  endedAt: null,
  reopenings: 0,
  settled: 0,
  settledTwice: [],
  billable: noUnits(),
  due: noUnits(),
  deletedWith: null,
})
