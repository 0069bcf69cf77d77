/**
 * Moves punctuation out of emphasis. At the inner edge with a letter outside, as in `<b>Note:</b>text`, it makes the
 * delimiter ineffective (CommonMark, 6.2).
 */
import { firstOf, lastOf } from './escape.ts'
import { isPunctuation, isWhiteSpace } from './flanking.ts'
import type { Run } from './inline-text.ts'
import { commonMarks, type Mark, signs } from './marks.ts'

/** Returns the runs with punctuation moved out of emphasis, or the same runs if nothing changes. */
export function withoutEdgePunctuation(runs: readonly Run[]): readonly Run[] {
  let result: Run[] | null = null
  for (let at = 0; at < runs.length; at++) {
    const run = runs[at] as Run
    const [before, after] = [runs[at - 1], runs[at + 1]]
    const start = run.marks === null ? 0 : plainStart(run, before)
    const end = run.marks === null ? run.text.length : plainEnd(run, after, start)
    const isWhole = start === 0 && end === run.text.length
    if (!isWhole) result ??= runs.slice(0, at)
    if (isWhole) result?.push(run)
    else result?.push(...split(run, start, end, shared(run, before), shared(run, after)))
  }
  return result ?? runs
}

const shared = (run: Run, other: Run | undefined): Mark | null => commonMarks(run.marks, other?.marks ?? null)

/** Splits a run into up to three, of which the outer ones have other marks. */
function split(run: Run, start: number, end: number, before: Mark | null, after: Mark | null): Run[] {
  const parts = [
    { ...run, text: run.text.slice(0, start), marks: before },
    { ...run, text: run.text.slice(start, end) },
    { ...run, text: run.text.slice(end), marks: after },
  ]
  return parts.filter(({ text }) => text !== '')
}

/** Returns the start of a run's text after the punctuation to move out. */
function plainStart(run: Run, before: Run | undefined): number {
  let start = 0
  if (before === undefined || !isPunctuation(firstOf(run.text)) || !losesEmphasis(run, before)) return start
  if (isWordLike(lastOf(before.text))) while (isPunctuation(run.text[start] ?? '')) start += 1
  return start
}

function plainEnd(run: Run, after: Run | undefined, start: number): number {
  let end = run.text.length
  if (after === undefined || !isPunctuation(lastOf(run.text)) || !losesEmphasis(run, after)) return end
  if (isWordLike(firstOf(after.text))) while (end > start && isPunctuation(run.text[end - 1] ?? '')) end -= 1
  return end
}

/** Returns whether at least one emphasis ends between a run and its neighbour, and nothing else ends there. */
function losesEmphasis(run: Run, other: Run): boolean {
  if (run.kind !== 'text' || other.kind !== 'text') return false
  const until = shared(run, other)
  if (until === run.marks) return false
  for (let mark = run.marks; mark !== null && mark !== until; mark = mark.around)
    if (!signs[mark.kind].flanking) return false
  return true
}

const isWordLike = (character: string): boolean => !isWhiteSpace(character) && !isPunctuation(character)
