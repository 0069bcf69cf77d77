/**
 * The difference of two texts: by line, and by word in changed lines. Work and result are bounded: the rest is left out
 * with a warning.
 */
import type { DiffLine, DiffWords, TextDifference } from '@tidemark/contracts/http/page-diff'
import { type ChangeObject, diffArrays, diffWordsWithSpace } from 'diff'
import { changedWords } from '../domain/comparison/changed-words.ts'

/** Maximum length of each text. */
const limits = { characters: 512 * 1024, lines: 20_000 }
/** Number of changed lines beyond which the texts count as entirely different. */
const maxEdits = 1_000
const maxShown = { lines: 2_000, characters: 512 * 1024 }
/** The words of longer lines are not compared. */
const maxLineLength = 4_000
const maxWordEdits = 400
/** Characters of all lines whose words are compared. */
const maxCompared = 60_000
/** Unchanged lines before and after a change. */
const around = 3

export function textDifference(before: string, after: string): TextDifference {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  const changes = diffArrays(old.lines, fresh.lines, { maxEditLength: maxEdits })
  const parts = changes ?? [part('removed', old.lines), part('added', fresh.lines)]
  const count = (change: DiffLine['change']) =>
    parts.reduce((sum, one) => (changeOf(one) === change ? sum + one.value.length : sum), 0)
  const { lines, isCut } = shown(withNumbers(parts))
  return {
    summary: {
      added: count('added'),
      removed: count('removed'),
      same: count('same'),
      changed_words: changedWords(old.lines.join('\n'), fresh.lines.join('\n')),
    },
    lines,
    truncated: isCut || old.isCut || fresh.isCut || changes === undefined,
  }
}

type Part = ChangeObject<string[]>

const part = (change: 'added' | 'removed', value: string[]): Part => ({
  value,
  count: value.length,
  added: change === 'added',
  removed: change === 'removed',
})

const changeOf = ({ added, removed }: { added: boolean; removed: boolean }): DiffLine['change'] =>
  added ? 'added' : removed ? 'removed' : 'same'

function linesOf(text: string): { lines: string[]; isCut: boolean } {
  const part = text.slice(0, limits.characters).toWellFormed()
  const lines = part.replace(/\n$/, '').split('\n', limits.lines + 1)
  const isCut = part.length < text.length || lines.length > limits.lines
  return { lines: part === '' ? [] : lines.slice(0, limits.lines), isCut }
}

/**
 * Returns each line with its position. If lines were replaced by the same number of lines, their words are compared.
 */
function withNumbers(parts: Part[]): DiffLine[] {
  const lines: DiffLine[] = []
  let [oldLine, newLine, comparableLeft] = [1, 1, maxCompared]
  for (const [n, one] of parts.entries()) {
    const change = changeOf(one)
    const partner = partnerOf(parts, n)
    for (const [index, text] of one.value.entries()) {
      const other = partner?.[index]
      if (other !== undefined) comparableLeft -= text.length + other.length
      const words = other === undefined || comparableLeft < 0 ? null : wordsOf(text, other, change)
      lines.push({
        change,
        ...(change !== 'added' && { old_line: oldLine++ }),
        ...(change !== 'removed' && { new_line: newLine++ }),
        text,
        ...(words && { words }),
      })
    }
  }
  return lines
}

/**
 * Returns the lines that replace the lines of this part, or that these lines replace. Removed lines precede added
 * lines.
 */
function partnerOf(parts: Part[], n: number): string[] | undefined {
  const one = parts[n]
  const other = one?.removed ? parts[n + 1] : one?.added ? parts[n - 1] : undefined
  return other && changeOf(other) !== 'same' ? other.value : undefined
}

function wordsOf(text: string, partner: string, change: DiffLine['change']): DiffWords[] | null {
  if (text.length > maxLineLength || partner.length > maxLineLength) return null
  const [before, after] = change === 'removed' ? [text, partner] : [partner, text]
  const words = diffWordsWithSpace(before, after, { maxEditLength: maxWordEdits })
  if (words === undefined || !words.some(({ added, removed }) => !added && !removed)) return null
  return words
    .map(one => ({ change: changeOf(one), text: one.value }))
    .filter(one => one.change === 'same' || one.change === change)
}

/** Returns the changes with their context. */
function shown(lines: DiffLine[]): { lines: DiffLine[]; isCut: boolean } {
  const kept: DiffLine[] = []
  let [until, characters] = [-1, 0]
  let next = nextChange(lines, 0)
  for (const [n, line] of lines.entries()) {
    if (n > next) next = nextChange(lines, n)
    if (line.change !== 'same') until = n + around
    if (n < next - around && n > until) continue
    characters += line.text.length * (line.words ? 2 : 1)
    if (kept.length === maxShown.lines || characters > maxShown.characters)
      return { lines: kept, isCut: true }
    kept.push(line)
  }
  return { lines: kept, isCut: false }
}

function nextChange(lines: DiffLine[], from: number): number {
  for (let n = from; n < lines.length; n++) if (lines[n]?.change !== 'same') return n
  return Number.POSITIVE_INFINITY
}
