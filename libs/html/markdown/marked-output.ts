/**
 * Writes text with marks. At the start and end of a mark it writes a delimiter, unless it would be ineffective there.
 */
import { firstOf, lastOf } from './escape.ts'
import { canClose, canOpen } from './flanking.ts'
import { continues, type Mark, signs } from './marks.ts'

type Sign = { part: number; before: string; after: string; partner: Sign | null; isOpening: boolean }

export class MarkedOutput {
  readonly #parts: string[] = []
  #open: { mark: Mark; sign: Sign | null }[] = []
  readonly #signs: Sign[] = []
  /** Number of delimiters whose next character is known. */
  #settled = 0
  /** The last character that is not a delimiter of emphasis. */
  last = ''

  text(text: string): void {
    if (text === '') return
    const first = firstOf(text)
    for (; this.#settled < this.#signs.length; this.#settled++) {
      const sign = this.#signs[this.#settled]
      if (sign !== undefined) sign.after = first
    }
    this.#parts.push(text)
    this.last = lastOf(text)
  }

  /** Ends the marks that do not continue, and begins the new ones. */
  moveTo(marks: readonly Mark[]): void {
    let same = 0
    while (same < this.#open.length && continues(this.#open[same]?.mark, marks[same])) same += 1
    while (this.#open.length > same) this.#end()
    for (const mark of marks.slice(same)) this.#begin(mark)
  }

  /** Returns all text without ineffective delimiters. */
  close(): string {
    for (const { partner, isOpening, part, before, after } of this.#signs) {
      if (isOpening || partner === null) continue
      if (canOpen(partner.before, partner.after) && canClose(before, after)) continue
      this.#parts[part] = ''
      this.#parts[partner.part] = ''
    }
    return this.#parts.join('')
  }

  #begin(mark: Mark): void {
    const { open, flanking } = signs[mark.kind]
    if (!flanking) this.text(open)
    this.#open.push({ mark, sign: flanking ? this.#sign(open, true, null) : null })
  }

  #end(): void {
    const last = this.#open.pop()
    if (last === undefined) return
    const { close, flanking } = signs[last.mark.kind]
    if (flanking) this.#sign(close, false, last.sign)
    else this.text(close + last.mark.target)
  }

  #sign(text: string, isOpening: boolean, partner: Sign | null): Sign {
    const sign = { part: this.#parts.length, before: this.last, after: '', partner, isOpening }
    this.#parts.push(text)
    this.#signs.push(sign)
    return sign
  }
}
