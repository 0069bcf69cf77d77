/** A difference as flat rows with the same columns for all classes: one page a row. */
import type { DiffField, RunDiff } from '@tidemark/contracts/http/links'
import type { RowShape } from '../../http/domain/list-rows.ts'

/** The lists of a difference. Unchanged pages are only counted. */
export type DiffClass = 'added' | 'removed' | 'changed' | 'not_revisited' | 'not_compared'
type Page = RunDiff[DiffClass][number]
type Row = Record<string, unknown>

const columns = ['class', 'url', 'old_status', 'new_status', 'old_hash', 'new_hash', 'cause']
const texts: readonly DiffField[] = ['title', 'description', 'canonical', 'robots']

/** Each field has a column for its old and one for its new value. Both are empty if the values are equal. */
export const diffShape = (fields: readonly DiffField[]): RowShape => ({
  columns: [...new Set([...columns, ...fields.flatMap(pairOf)])],
  freeText: texts.flatMap(pairOf),
})

const pairOf = (field: string): string[] => [`old_${field}`, `new_${field}`]

/** Returns the row with all columns. Those that a page of this class has not are null. */
export function diffRow(names: readonly string[], name: DiffClass, page: Page): Row {
  const { fields = {}, ...own } = page as Page & { fields?: Record<string, { old: unknown; new: unknown }> }
  const values: Row = { ...own, class: name, ...sided(name, own) }
  for (const [field, pair] of Object.entries(fields)) {
    if (field === 'status') continue // every row of a changed page has both
    values[`old_${field}`] = pair.old
    values[`new_${field}`] = pair.new
  }
  return Object.fromEntries(names.map(column => [column, values[column] ?? null]))
}

/** Returns the values of a page that only one crawl has, under the names of its side. */
function sided(name: DiffClass, page: object): Row {
  if (name !== 'added' && name !== 'removed') return {}
  const { hash, status } = page as { hash?: string; status?: number }
  const side = name === 'added' ? 'new' : 'old'
  return { [`${side}_status`]: status, [`${side}_hash`]: hash }
}
