/** A map that holds so many entries and no more: when one comes too many, the one that was set the longest ago goes. */
export class Bounded<Key, Value> extends Map<Key, Value> {
  readonly #most: number

  constructor(most: number) {
    super()
    this.#most = most
  }

  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    const oldest = this.keys().next()
    if (this.size > this.#most && !oldest.done) this.delete(oldest.value)
    return this
  }
}
