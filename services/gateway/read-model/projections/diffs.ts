/** RUNS, facet `diff` → read.run.diff: how many pages of each kind, or why there is no difference. */
import type { StreamMessage } from '@tidemark/bus/read'
import { DiffEvent } from '@tidemark/contracts/diff'
import { runOfSubject } from '@tidemark/contracts/subjects'
import { commitReader, type Report } from './commits.ts'
import { type Client, columns, type Table, unnest } from './table.ts'

type DiffChange = { runId: number; diff: object }

const needs = { RunCompared: ['counts'], RunNotCompared: ['reason'] } as const

/** Applies the differences of a batch in one statement. A deleted run gets none. */
export function diffsProjection(report: Report) {
  const read = commitReader<DiffEvent>(DiffEvent, needs, report)
  return async (client: Client, messages: readonly StreamMessage[]): Promise<void> => {
    const changes: DiffChange[] = []
    for (const { subject, event } of read(messages)) {
      const { runId } = runOfSubject(subject)
      changes.push({
        runId,
        diff: event.type === 'RunCompared' ? event.data.counts : { reason: event.data.reason },
      })
    }
    if (changes.length > 0) await client.query(update, columns(table, changes))
  }
}

const table: Table<DiffChange> = [
  ['id', 'bigint', change => change.runId],
  ['diff', 'jsonb', change => JSON.stringify(change.diff)],
]

const update = `update read.run set diff = change.diff from ${unnest(table, 'change')} where run.id = change.id`
