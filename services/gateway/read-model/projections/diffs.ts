/**
 * RUNS, facet `diff` → read.run.diff: how many pages of each kind, or why there is no difference. And read.run.judgement:
 * whether the changes match the intent of the monitor.
 */
import type { StreamMessage } from '@tidemark/bus/read'
import { DiffEvent } from '@tidemark/contracts/diff'
import { runOfSubject } from '@tidemark/contracts/subjects'
import { commitReader, type Report } from './commits.ts'
import { type Client, columns, type Table, unnest } from './table.ts'

type DiffChange = { runId: number; diff: object | null; judgement: object | null }

const needs = {
  RunCompared: ['counts'],
  RunNotCompared: ['reason'],
  IntentJudged: ['matched', 'reason', 'quotes'],
} as const

/** Applies the differences and judgements of a batch in one statement. A deleted run gets none. */
export function diffsProjection(report: Report) {
  const read = commitReader<DiffEvent>(DiffEvent, needs, report)
  return async (client: Client, messages: readonly StreamMessage[]): Promise<void> => {
    const changes = new Map<number, DiffChange>()
    for (const { subject, event } of read(messages)) {
      const { runId } = runOfSubject(subject)
      const known = changes.get(runId) ?? { runId, diff: null, judgement: null }
      changes.set(runId, { ...known, ...changeBy(event) })
    }
    if (changes.size > 0) await client.query(update, columns(table, [...changes.values()]))
  }
}

function changeBy(event: DiffEvent): Partial<DiffChange> {
  switch (event.type) {
    case 'RunCompared':
      return { diff: event.data.counts }
    case 'RunNotCompared':
      return { diff: { reason: event.data.reason } }
    case 'IntentJudged': {
      const { matched, reason, quotes } = event.data
      return { judgement: { matched, reason, quotes } }
    }
  }
}

const jsonOf = (value: object | null) => value && JSON.stringify(value)

const table: Table<DiffChange> = [
  ['id', 'bigint', change => change.runId],
  ['diff', 'jsonb', change => jsonOf(change.diff)],
  ['judgement', 'jsonb', change => jsonOf(change.judgement)],
]

const update = `update read.run
  set diff = coalesce(change.diff, run.diff), judgement = coalesce(change.judgement, run.judgement)
  from ${unnest(table, 'change')} where run.id = change.id`
