/** Work on a stream of items that is done several at once, and told in the order of the items. */

export type AheadLimits<Item> = {
  /** Items that are under way, or done and not yet taken. */
  most: number
  /** Of all of these together; one item alone may weigh more. */
  maxWeight: number
  weigh: (item: Item) => number
}

/**
 * Begins no more ahead of what was taken than the limits allow, so whoever takes slowly slows the work down. Rejects
 * with what the work of an item rejects with, when its turn has come.
 */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  { most, maxWeight, weigh }: AheadLimits<Item>,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const ahead: { result: Promise<Result>; weight: number }[] = []
  let heavy = 0
  for await (const item of items) {
    const weight = weigh(item)
    while (ahead.length > 0 && (ahead.length >= most || heavy + weight > maxWeight)) {
      const [first] = ahead.splice(0, 1)
      if (first === undefined) break
      yield await first.result
      heavy -= first.weight
    }
    const result = work(item)
    result.catch(() => {}) // told when its turn has come
    ahead.push({ result, weight })
    heavy += weight
  }
  for (const { result } of ahead) yield await result
}
