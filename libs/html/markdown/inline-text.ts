/**
 * Collects the text of one paragraph: pieces with their marks. White space is collapsed as in browsers and kept
 * outside of marks, because `** bold **` is not emphasis.
 */
import type { Element } from 'domhandler'
import { commonMarks, isMarked, type Mark, type MarkKind, withMark } from './marks.ts'

/** `atom`: finished Markdown. `break`: the end of a line. */
export type RunKind = 'text' | 'code' | 'atom' | 'break'
export type Run = { kind: RunKind; text: string; marks: Mark | null }

type Pending = 'nothing' | 'space' | 'break' | 'paragraph'

const uneven = /[\t\n\f\r]| {2}/

export class InlineText {
  #runs: Run[] = []
  #marks: Mark | null = null
  #pending: Pending = 'nothing'
  #pendingMarks: Mark | null = null
  /** Whether the pending white space is within code. */
  #pendingCode = false
  #code = 0
  /** Whether the next text is the first one of a list item. */
  #isAfterMark = false
  /** Number of additions so far, to detect whether anything was added. */
  added = 0

  get isEmpty(): boolean {
    return this.#runs.length === 0
  }

  /** Whether the text ends with two line breaks, by which authors separate paragraphs. */
  get endsParagraph(): boolean {
    return this.#pending === 'paragraph'
  }

  /** Adds source text of the page. */
  text(data: string): void {
    const start = firstShown(data)
    if (start === data.length) {
      if (start > 0) this.#separate('space')
      return
    }
    const end = lastShown(data) + 1
    if (start > 0) this.#separate('space')
    const inner = start === 0 && end === data.length ? data : data.slice(start, end)
    const even = uneven.test(inner) ? inner.replace(/[\t\n\f\r ]+/g, ' ') : inner
    this.#add(this.#code > 0 ? 'code' : 'text', even)
    if (end < data.length) this.#separate('space')
  }

  /** Adds finished Markdown. */
  atom(markdown: string): void {
    this.#add('atom', markdown)
  }

  /** Adds the mark of a list item. The text of the item follows on the same line, even if it is in a block. */
  itemMark(mark: string): void {
    this.#add('atom', mark)
    this.#separate('space')
    this.#isAfterMark = true
  }

  /** Ends an item, whose text may be empty. */
  endItem(): void {
    this.#isAfterMark = false
  }

  /** Adds code with its white space. */
  codeLine(code: string): void {
    this.#add('code', code)
  }

  /** Ends a line. */
  break(): void {
    this.#separate(this.#pending === 'break' || this.#pending === 'paragraph' ? 'paragraph' : 'break')
  }

  /** Separates the next text from the previous one. */
  gap(kind: 'space' | 'break'): void {
    this.#separate(kind)
  }

  /** Adds a mark to the next text. Code has no marks except links. */
  mark(kind: MarkKind, owner: Element, target?: string): void {
    if (this.#code === 0 || kind === 'link') this.#marks = withMark(this.#marks, kind, owner, target)
  }

  /** Ends the mark of that element, if it made one. */
  unmark(owner: Element): void {
    if (this.#marks?.owner === owner) this.#marks = this.#marks.around
  }

  /** Replaces the marks of the next text, and returns the previous ones. */
  swapMarks(marks: Mark | null): Mark | null {
    const before = this.#marks
    this.#marks = marks
    return before
  }

  isMarked(kind: MarkKind): boolean {
    return isMarked(this.#marks, kind)
  }

  /** Treats the next text as code, until `endCode` was called the same number of times. */
  beginCode(): void {
    this.#code += 1
  }

  endCode(): void {
    this.#code -= 1
  }

  /** Returns and removes the collected runs. The marks continue. */
  take(): Run[] {
    const runs = this.#runs
    this.#runs = []
    this.#pending = 'nothing'
    this.#isAfterMark = false
    return runs
  }

  #add(kind: RunKind, text: string): void {
    this.added += 1
    this.#isAfterMark = false
    const last = this.#runs.at(-1)
    if (this.#pending !== 'nothing') this.#addPending(last, kind)
    const before = this.#runs.at(-1)
    if (before?.kind === kind && before.marks === this.#marks && kind !== 'atom') before.text += text
    else if (before === undefined) this.#runs = [{ kind, text, marks: this.#marks }]
    else this.#runs.push({ kind, text, marks: this.#marks })
  }

  /** Adds pending white space, which counts only between two texts and belongs to the marks that they share. */
  #addPending(last: Run | undefined, next: RunKind): void {
    const pending = this.#pending
    this.#pending = 'nothing'
    if (last === undefined) return
    const marks = commonMarks(commonMarks(last.marks, this.#marks), this.#pendingMarks)
    const inCode = pending === 'space' && this.#pendingCode && last.kind === 'code' && next === 'code'
    const kind = pending === 'space' ? (inCode ? 'code' : 'text') : 'break'
    const joins = last.kind === kind && last.marks === marks && kind !== 'break'
    if (joins) last.text += ' '
    else this.#runs.push({ kind, text: kind === 'break' ? '' : ' ', marks })
  }

  #separate(kind: Pending): void {
    if (this.#runs.length === 0 || this.#isAfterMark) return
    const isNew = this.#pending === 'nothing'
    this.#pendingMarks = isNew ? this.#marks : commonMarks(this.#pendingMarks, this.#marks)
    this.#pendingCode = this.#code > 0 && (isNew || this.#pendingCode)
    if (strength[kind] > strength[this.#pending]) this.#pending = kind
  }
}

const strength: Readonly<Record<Pending, number>> = { nothing: 0, space: 1, break: 2, paragraph: 3 }

/** Returns whether a code unit is a tab, line feed, form feed, carriage return or space. */
const isWhite = (code: number): boolean =>
  code === 32 || code === 10 || code === 9 || code === 12 || code === 13

function firstShown(text: string): number {
  let at = 0
  while (at < text.length && isWhite(text.charCodeAt(at))) at += 1
  return at
}

function lastShown(text: string): number {
  let at = text.length - 1
  while (at >= 0 && isWhite(text.charCodeAt(at))) at -= 1
  return at
}
