/** Delimiters of emphasis, and which of them are effective at their position (CommonMark 0.31, 6.2). */
import { canClose, canOpen } from './flanking.ts'

/** Delimiters without text between them, and the characters of the text around them. */
type Group = { before: string; after: string; signs: Delimiter[] }

/** A delimiter, or the empty text for one that is left out. */
export type Delimiter = { text: string; group: Group; partner: Delimiter | null; isOpening: boolean }

export class Delimiters {
  readonly #groups: Group[] = []
  #open: Group | null = null

  /** Adds a delimiter. `before` is the last character of the text. */
  add(text: string, before: string, opening: Delimiter | null): Delimiter {
    if (this.#open === null) {
      this.#open = { before, after: '', signs: [] }
      this.#groups.push(this.#open)
    }
    const sign = { text, group: this.#open, partner: opening, isOpening: opening === null }
    if (opening !== null) opening.partner = sign
    this.#open.signs.push(sign)
    return sign
  }

  /** Sets the first character of the text after the last delimiters. */
  endGroup(after: string): void {
    if (this.#open === null) return
    this.#open.after = after
    this.#open = null
  }

  /** Leaves out the ineffective delimiters. The neighbours of one that is left out are tested again. */
  settle(): void {
    const waiting = [...this.#groups]
    for (let group = waiting.pop(); group !== undefined; group = waiting.pop())
      for (const sign of group.signs) {
        const { partner } = sign
        if (sign.text === '' || partner === null) continue
        if (isEffective(sign) && isEffective(partner) && canMatch(sign, partner)) continue
        sign.text = ''
        partner.text = ''
        waiting.push(group, partner.group, ...join(group.signs), ...join(partner.group.signs))
      }
  }
}

function isEffective(sign: Delimiter): boolean {
  const { before, after, signs } = sign.group
  const at = signs.indexOf(sign)
  const previous = signs.slice(0, at).findLast(isOther(sign))?.text[0] ?? before
  const next = signs.slice(at + 1).find(isOther(sign))?.text[0] ?? after
  return (sign.isOpening ? canOpen : canClose)(previous, next)
}

/** Signs that beside each other are read as one delimiter of their whole length. */
type Run = { length: number; canBoth: boolean }

/**
 * Returns whether a run ends the emphasis that another one begins. If one of them can do both, their lengths together
 * are no multiple of 3, unless both are multiples of 3.
 */
function canMatch(sign: Delimiter, partner: Delimiter): boolean {
  if (sign.text[0] !== '*') return true
  const [one, other] = [runOf(sign), runOf(partner)]
  if (!one.canBoth && !other.canBoth) return true
  return (one.length + other.length) % 3 !== 0 || one.length % 3 === 0
}

function runOf(sign: Delimiter): Run {
  const { before, after, signs } = sign.group
  const at = signs.indexOf(sign)
  const isOtherSign = isOther(sign)
  const start = signs.slice(0, at).findLastIndex(isOtherSign)
  const end = signs.findIndex((one, place) => place > at && isOtherSign(one))
  const within = signs.slice(start + 1, end < 0 ? signs.length : end)
  const previous = signs[start]?.text[0] ?? before
  const next = signs[end]?.text[0] ?? after
  const length = within.reduce((sum, { text }) => sum + text.length, 0)
  return { length, canBoth: canOpen(previous, next) && canClose(previous, next) }
}

/** Delimiters of the same character are one run, with the same characters around it. */
const isOther =
  ({ text: own }: Delimiter) =>
  ({ text }: Delimiter): boolean =>
    text !== '' && text[0] !== own[0]

/**
 * Continues a mark that ends beside the beginning of another one of its kind: `****` has no effect. Returns the groups of
 * the delimiters that are partners now.
 */
function join(signs: readonly Delimiter[]): Group[] {
  const kept = signs.filter(({ text }) => text !== '')
  const changed: Group[] = []
  let end = kept.findIndex(({ isOpening }) => isOpening)
  for (let start = end - 1; start >= 0 && end < kept.length; start--, end++) {
    const [closing, opening] = [kept[start], kept[end]]
    if (closing === undefined || opening?.isOpening !== true || closing.text !== opening.text) break
    closing.text = ''
    opening.text = ''
    const [first, last] = [closing.partner, opening.partner]
    if (first === null || last === null) continue
    first.partner = last
    last.partner = first
    changed.push(first.group, last.group)
  }
  return changed
}
