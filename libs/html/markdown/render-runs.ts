/** Writes collected text with its marks as Markdown. */

import { withoutEdgePunctuation } from './edge-punctuation.ts'
import { escapeText, firstOf, isSpecial, lastOf } from './escape.ts'
import { isWhiteSpace } from './flanking.ts'
import type { Run } from './inline-text.ts'
import { MarkedOutput } from './marked-output.ts'
import { isMarked, type Mark, marksInOrder } from './marks.ts'

/** The form of a line break: in a paragraph, in a single line, and in a cell. */
export type LineBreak = '  \n' | ' ' | '<br>'

/** Returns one paragraph, heading or cell, or the empty string without visible content. */
export function renderRuns(collected: readonly Run[], lineBreak: LineBreak): string {
  const [first] = collected
  if (first === undefined) return ''
  if (collected.length === 1 && first.marks?.kind === 'link' && first.marks.depth === 1)
    return `[${textOf(first, undefined, '', loneIn(collected), lineBreak).trim()}]${first.marks.target}`
  const isPlain = collected.every(({ marks }) => marks === null)
  const runs = isPlain ? collected : withoutEdgePunctuation(collected)
  const lone = loneIn(runs)
  return (isPlain ? renderPlain(runs, lone, lineBreak) : renderMarked(runs, lone, lineBreak)).trim()
}

function renderPlain(runs: readonly Run[], lone: Lone, lineBreak: LineBreak): string {
  let output = ''
  let last = ''
  for (let at = 0; at < runs.length; at++) {
    const text = textOf(runs[at] as Run, runs[at + 1], last, lone, lineBreak)
    if (text !== '') last = lastOf(text)
    output += text
  }
  return output
}

function renderMarked(runs: readonly Run[], lone: Lone, lineBreak: LineBreak): string {
  const output = new MarkedOutput()
  for (let at = 0; at < runs.length; at++) {
    const run = runs[at] as Run
    output.moveTo(marksInOrder(run.marks))
    const before = run.marks === marksOf(runs[at - 1]) ? output.last : '*'
    output.text(textOf(run, runs[at + 1], before, lone, lineBreak))
  }
  output.moveTo(marksInOrder(null))
  return output.close()
}

function textOf(run: Run, next: Run | undefined, before: string, lone: Lone, lineBreak: LineBreak): string {
  if (run.kind === 'break') return lineBreak
  if (run.kind === 'atom') return run.text
  if (run.kind === 'code') return codeSpan(run.text)
  if (!isSpecial(run.text)) return run.text
  return escapeText(run.text, {
    before,
    after: beginOf(run, next, lineBreak),
    inLink: isMarked(run.marks, 'link'),
    lone,
  })
}

/** Returns the next character after a run, as far as it affects the meaning of the run's last character. */
function beginOf(run: Run, next: Run | undefined, lineBreak: LineBreak): string {
  const marks = marksOf(next)
  const isLast = next === undefined || next.kind === 'break'
  if (isLast && marks !== run.marks) return closingSign
  if (next === undefined) return ' '
  if (isMarked(marks, 'link') && !isMarked(run.marks, 'link')) return '['
  if (marks !== run.marks) return '*'
  if (next.kind === 'text') return firstOf(next.text)
  return next.kind === 'code' ? '`' : firstOf(isLast ? lineBreak : next.text)
}

/** Represents any sign that ends a mark and is followed by the end of the line. */
const closingSign = ']'

const marksOf = (run: Run | undefined): Mark | null => run?.marks ?? null

/** Returns code, which may contain backticks itself (CommonMark, 6.1). */
function codeSpan(code: string): string {
  if (!code.includes('`')) return isWhiteSpace(code.trim()) ? ' ' : `\`${code}\``
  const runs = new Set((code.match(/`+/g) ?? []).map(run => run.length))
  let length = 1
  while (runs.has(length)) length += 1
  const fence = '`'.repeat(length)
  const pad = code.startsWith('`') || code.endsWith('`') ? ' ' : ''
  return fence + pad + code + pad + fence
}

type Lone = () => string

/** Counts the signs of all runs lazily, because few texts have any. */
function loneIn(runs: readonly Run[]): Lone {
  let signs: string | null = null
  return () => {
    signs ??= loneSigns(runs)
    return signs
  }
}

/** Returns the signs of emphasis and code that the text has once, if no others are generated. */
function loneSigns(runs: readonly Run[]): string {
  const counts = new Map<string, number>()
  const count = (sign: string, times: number) => counts.set(sign, (counts.get(sign) ?? 0) + times)
  for (const { kind, text, marks } of runs) {
    if (kind === 'code') count('`', 2)
    if (kind === 'atom') for (const sign of '*_~`') count(sign, 2)
    if (marks !== null) for (const sign of '*~') count(sign, 2)
    if (kind === 'text') for (const [sign] of text.matchAll(/[*_~`]/g)) count(sign, 1)
  }
  return [...'*_~`'].filter(sign => counts.get(sign) === 1).join('')
}
