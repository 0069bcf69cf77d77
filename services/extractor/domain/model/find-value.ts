/**
 * Finds values in the text of a page, so that a value of a model counts only if the page states it. A found text is
 * returned as the page has it.
 */
import { collapse } from '@tidemark/html/tree/raw-text'
import { numberIn } from '../extract/convert.ts'

/** `where` is the line of the page around the value. */
export type Standing<Value> = { value: Value; where: string }

export type PageSearch = {
  text(value: string): Standing<string> | null
  number(value: number): Standing<number> | null
  /** Returns whether the text has these characters anywhere, also within words. */
  has(characters: string): boolean
}

const limits = { value: 10_000, occurrences: 1_000, context: 60 }

/** @param text as `readableText` returns it: white space is single characters */
export function createPageSearch(text: string): PageSearch {
  const flat = text.replace(/\s/g, ' ')
  // Some letters change their length with their case. Then only exact text is found.
  const lower = flat.toLowerCase()
  const hasLower = lower.length === flat.length
  let numbers: Map<number, number> | null = null

  function positionOf(value: string): number {
    const exact = wholeAt(flat, value)
    if (exact !== -1 || !hasLower) return exact
    const small = value.toLowerCase()
    return small.length === value.length ? wholeAt(lower, small) : -1
  }

  return {
    has: characters => flat.includes(characters),
    text(sent) {
      const value = collapse(sent)
      if (value === '' || value.length > limits.value) return null
      const at = positionOf(value)
      return at === -1
        ? null
        : { value: flat.slice(at, at + value.length), where: lineAround(text, at, value.length) }
    },
    number(value) {
      numbers ??= numbersIn(flat)
      const at = numbers.get(value)
      return at === undefined ? null : { value, where: lineAround(text, at, String(value).length) }
    },
  }
}

/** Returns the first position at which the value is not a part of a longer word; -1: none. */
function wholeAt(text: string, value: string): number {
  let at = text.indexOf(value)
  for (let left = limits.occurrences; at !== -1 && left > 0; left--) {
    const isWhole = isBoundary(text, at) && isBoundary(text, at + value.length)
    if (isWhole) return at
    at = text.indexOf(value, at + 1)
  }
  return -1
}

const word = /[\p{L}\p{N}]/u
/** Scripts that write words without spaces. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

/** Returns whether a word or number ends or begins at the position. */
export function isBoundary(text: string, at: number): boolean {
  const [before, after] = [text[at - 1] ?? ' ', text[at] ?? ' ']
  // Half of a number is another number: `1.5` is not the end of `21.5`, and `49` is not the beginning of `49.90`.
  if (/[.,]/.test(before) && /\d/.test(after) && /\d/.test(text[at - 2] ?? '')) return false
  if (/\d/.test(before) && /[.,]/.test(after) && /\d/.test(text[at + 1] ?? '')) return false
  return !(word.test(before) && word.test(after)) || unspaced.test(before) || unspaced.test(after)
}

const figures = /\d(?:[\d.,'’\u00a0\u202f ]{0,40}\d)?/g
/** A currency code may touch its number: `EUR49.90`. Other letters make it a part of a name: `A5`. */
const touching = /(?<![\p{L}\p{N}])(?:\p{Lu}{3}|\p{Sc})$/u

/** Returns the numbers of a text with their first positions. */
function numbersIn(text: string): Map<number, number> {
  const found = new Map<number, number>()
  const add = (digits: string, at: number) => {
    const before = text.slice(Math.max(0, at - 4), at)
    if (/[\p{L}_]$/u.test(before) && !touching.test(before)) return
    const isNegative = /(?:^|[^\p{L}\p{N})])[-−]$/u.test(before)
    const number = numberIn(isNegative ? `-${digits}` : digits)
    if (number !== undefined && !found.has(number)) found.set(number, at)
  }
  for (const { 0: figure, index } of text.matchAll(figures)) {
    add(figure, index)
    // Neighbouring numbers are one figure only if their spaces separate thousands.
    for (const part of figure.matchAll(/[^ \u00a0\u202f]+/g))
      if (part[0] !== figure && !isGrouped(figure)) add(part[0], index + part.index)
  }
  return found
}

const isGrouped = (figure: string): boolean => /^\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d+)?$/.test(figure)

function lineAround(text: string, at: number, length: number): string {
  const begin = Math.max(text.lastIndexOf('\n', at - 1) + 1, at - limits.context)
  const lineEnd = text.indexOf('\n', at + length)
  const end = Math.min(lineEnd === -1 ? text.length : lineEnd, at + Math.min(length, 100) + limits.context)
  return `text: ${collapse(text.slice(begin, end)).toWellFormed()}`
}
