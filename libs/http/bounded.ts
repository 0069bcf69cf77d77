/** A map with a maximum number of entries. When it is full, a new entry replaces the one that was set first. */
export class Bounded<Key, Value> extends Map<Key, Value> {
  readonly #max: number

  constructor(max: number) {
    super()
    this.#max = max
  }

  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    const oldest = this.keys().next()
    if (this.size > this.#max && !oldest.done) this.delete(oldest.value)
    return this
  }
}
