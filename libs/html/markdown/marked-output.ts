/**
 * Writes text with marks. At the start and end of a mark it writes a delimiter, unless it would be ineffective there.
 */
import { type Delimiter, Delimiters } from './delimiters.ts'
import { firstOf, lastOf } from './escape.ts'
import { continues, type Mark, signs } from './marks.ts'

export class MarkedOutput {
  readonly #parts: (string | Delimiter)[] = []
  #open: { mark: Mark; sign: Delimiter | null }[] = []
  readonly #delimiters = new Delimiters()
  /** The last character that is not a delimiter of emphasis. */
  last = ''

  text(text: string): void {
    if (text === '') return
    this.#delimiters.endGroup(firstOf(text))
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
    this.#delimiters.settle()
    return this.#parts.map(part => (typeof part === 'string' ? part : part.text)).join('')
  }

  #begin(mark: Mark): void {
    const { open, flanking } = signs[mark.kind]
    if (!flanking) this.text(open)
    this.#open.push({ mark, sign: flanking ? this.#delimiter(open, null) : null })
  }

  #end(): void {
    const last = this.#open.pop()
    if (last === undefined) return
    const { close } = signs[last.mark.kind]
    if (last.sign !== null) this.#delimiter(close, last.sign)
    else this.text(close + last.mark.target)
  }

  #delimiter(text: string, opening: Delimiter | null): Delimiter {
    const delimiter = this.#delimiters.add(text, this.last, opening)
    this.#parts.push(delimiter)
    return delimiter
  }
}
