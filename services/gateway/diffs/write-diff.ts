/** Writes a difference class by class, as the text of one object or as rows. Pages are read while they are written. */
import type { RunDiff } from '@tidemark/contracts/http/links'
import { arrayText } from '../http/responses/long-list.ts'
import type { DiffFieldReads } from './adapters/diff-fields.ts'
import type { DiffReads } from './adapters/diff-reads.ts'
import { type DiffClass, diffRow } from './domain/diff-rows.ts'
import type { Difference } from './domain/difference.ts'

type Compared = {
  projectId: number
  difference: Difference
  changes: Awaited<ReturnType<DiffFieldReads>>['changes']
}

/** The pages of each class in pieces, in the order in which they are written. */
type Classes = { readonly [Class in DiffClass]: AsyncIterable<RunDiff[Class]> }

export function classesOf(diffs: DiffReads, { projectId, difference, changes }: Compared): Classes {
  const { added, removed, notRevisited, notCompared } = difference
  return {
    added: diffs.pages(projectId, added),
    removed: diffs.pages(projectId, removed),
    changed: changes(diffs.changes(projectId, difference)),
    not_revisited: diffs.left(projectId, notRevisited),
    not_compared: diffs.left(projectId, notCompared),
  }
}

export const summaryOf = (difference: Difference): RunDiff['summary'] => ({
  added: difference.added.length,
  removed: difference.removed.length,
  changed: difference.changedNew.length,
  unchanged: difference.unchanged,
  not_revisited: difference.notRevisited.ids.length,
  not_compared: difference.notCompared.ids.length,
  pages: difference.pages,
})

/** @param warnings the JSON text that ends the object */
export async function* diffText(head: object, classes: Classes, warnings: string): AsyncGenerator<string> {
  yield JSON.stringify(head).slice(0, -1)
  for (const [name, pieces] of Object.entries(classes)) {
    yield `,"${name}":`
    yield* arrayText(pieces)
  }
  yield `${warnings}}`
}

export async function* diffRows(classes: Classes, columns: readonly string[]): AsyncGenerator<object[]> {
  for (const [name, pieces] of Object.entries(classes)) {
    for await (const pages of pieces) yield pages.map(page => diffRow(columns, name as DiffClass, page))
  }
}
