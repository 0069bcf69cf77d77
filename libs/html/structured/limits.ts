/**
 * Limits of the items of one syntax on one page. Nested properties repeat the text inside them and references repeat
 * whole items, so the result needs a limit besides that of the page.
 */
import { storable } from './json-values.ts'

const maxValues = 100_000
const maxCharacters = 4 * 1024 * 1024

export class Limits {
  /** Whether something was left out. */
  exceeded = false
  #values = maxValues
  #characters = maxCharacters

  /** Whether one more value of that length may be kept. */
  take(length = 0): boolean {
    return this.#takeAll({ values: 1, characters: length })
  }

  /** Creates a value, and decides whether it may be kept `again` in another place. */
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

  /** The text as it may be kept, or null. */
  text(value: string): string | null {
    return this.take(value.length) ? storable(value) : null
  }
}

/** Adds a value to a property; names are a stranger's, so the record has no prototype. */
export function addValue<Value>(record: Record<string, Value[]>, name: string, value: Value): void {
  const values = record[name]
  if (values !== undefined) values.push(value)
  else record[name] = [value]
}

/** A record for names of a stranger: none of them is there before it was added. */
export const emptyRecord = <Value>(): Record<string, Value> => Object.create(null)
