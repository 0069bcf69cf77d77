/**
 * Limits of the results of one syntax on one page. Nested properties repeat the text of their content, and references
 * repeat whole items. The result therefore needs its own limit in addition to that of the page.
 */
import { storable } from './json-values.ts'

const maxValues = 100_000
const maxCharacters = 4 * 1024 * 1024

export class Limits {
  /** Whether values were left out. */
  exceeded = false
  #values = maxValues
  #characters = maxCharacters

  /** Returns whether another value of that length fits into the limits. */
  take(length = 0): boolean {
    return this.#takeAll({ values: 1, characters: length })
  }

  /** Makes a value. `again` returns whether another copy of it fits into the limits. */
  measured<Made>(make: () => Made): { made: Made; again: () => boolean } {
    const [values, characters] = [this.#values, this.#characters]
    const made = make()
    const cost = { values: values - this.#values, characters: characters - this.#characters }
    return { made, again: () => this.#takeAll(cost) }
  }

  #takeAll({ values, characters }: { values: number; characters: number }): boolean {
    const fits = values <= this.#values && characters <= this.#characters
    if (fits) {
      this.#values -= values
      this.#characters -= characters
    } else this.exceeded = true
    return fits
  }

  /** Returns the storable text, or null if it exceeds the limits. */
  text(value: string): string | null {
    return this.take(value.length) ? storable(value) : null
  }
}

/** Adds a value to a property. Names are untrusted, so the record has no prototype. */
export function addValue<Value>(record: Record<string, Value[]>, name: string, value: Value): void {
  const values = record[name]
  if (values !== undefined) values.push(value)
  else record[name] = [value]
}

/** Returns a record for untrusted names, without a prototype. */
export const emptyRecord = <Value>(): Record<string, Value> => Object.create(null)
