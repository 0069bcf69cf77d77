/** A binary heap: the smallest item leaves first. */
export class Heap<T> {
  readonly #items: T[] = []
  readonly #compare: (a: T, b: T) => number

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare
  }

  push(item: T): void {
    const items = this.#items
    let at = items.length
    items.push(item)
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = items[above] as T
      if (this.#compare(parent, item) <= 0) break
      items[at] = parent
      at = above
    }
    items[at] = item
  }

  pop(): T | undefined {
    const items = this.#items
    const top = items[0]
    const last = items.pop()
    if (items.length > 0 && last !== undefined) this.#sink(last)
    return top
  }

  #sink(item: T): void {
    const items = this.#items
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below >= items.length) break
      if (below + 1 < items.length && this.#compare(items[below + 1] as T, items[below] as T) < 0) below++
      if (this.#compare(items[below] as T, item) >= 0) break
      items[at] = items[below] as T
      at = below
    }
    items[at] = item
  }
}
