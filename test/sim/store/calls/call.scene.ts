/** Random calls of adapters, which a failure prints by name. */
import fc from 'fast-check'
import type { Db } from '../session.scene.ts'

export class Call {
  readonly name: string
  readonly #values: unknown
  readonly run: (db: Db) => Promise<unknown>

  constructor(name: string, values: unknown, run: (db: Db) => Promise<unknown>) {
    this.name = name
    this.#values = values
    this.run = run
  }

  [fc.toStringMethod](): string {
    return `${this.name}(${fc.stringify(this.#values)})`
  }
}

/** An adapter with its random parameters; `weight` is its relative frequency. */
export type Random = fc.WeightedArbitrary<Call>

export const random = <Values>(
  name: string,
  values: fc.Arbitrary<Values>,
  run: (db: Db, values: Values) => Promise<unknown>,
  weight = 2,
): Random => ({ weight, arbitrary: values.map(chosen => new Call(name, chosen, db => run(db, chosen))) })

export const projectId = fc.constantFrom(1, 1, 1, 2)
export const runId = fc.constantFrom(1, 1, 1, 2, 2, 3)
/** Different ids in ascending order, at least one. */
export const runIds = fc.subarray([1, 2, 3], { minLength: 1 })
