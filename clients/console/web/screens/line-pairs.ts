/** Puts the lines of two pages beside each other. */
import type { DiffLine } from '@tidemark/sdk'

/** A row: null where one of the pages has no such line. */
export type Beside = { earlier: DiffLine | null; later: DiffLine | null }

/**
 * Equal lines share a row. Between them, a line stands beside the one that replaces it (both have `words`), and other
 * lines fill the rows in their order.
 */
export function besides(lines: readonly DiffLine[]): Beside[] {
  const rows: Beside[] = []
  let removed: DiffLine[] = []
  let added: DiffLine[] = []
  for (const line of lines) {
    if (line.change === 'removed') removed.push(line)
    else if (line.change === 'added') added.push(line)
    else {
      rows.push(...matched(removed, added), { earlier: line, later: line })
      removed = []
      added = []
    }
  }
  return [...rows, ...matched(removed, added)]
}

function matched(removed: readonly DiffLine[], added: readonly DiffLine[]): Beside[] {
  const rows: Beside[] = []
  let [left, right] = [0, 0]
  while (left < removed.length || right < added.length) {
    const [earlier, later] = [removed[left], added[right]]
    const isPair = earlier && later && (earlier.words === undefined) === (later.words === undefined)
    const isLeft = isPair || later === undefined || (earlier !== undefined && earlier.words === undefined)
    const isRight = isPair || !isLeft
    rows.push({ earlier: isLeft ? (earlier ?? null) : null, later: isRight ? (later ?? null) : null })
    if (isLeft) left++
    if (isRight) right++
  }
  return rows
}
