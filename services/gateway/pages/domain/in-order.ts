/** Concurrent work on a stream of items, with results in the order of the items. */

export type AheadLimits<Item> = {
  /** Maximum number of items in progress, or done and not yet read. */
  maxItems: number
  /** Maximum weight of all of these together; a single item may weigh more. */
  maxWeight: number
  weigh: (item: Item) => number
}

/**
 * Work runs ahead of the reader only within the limits, so a slow reader slows it down. Rejects with an item's error in
 * the item's turn.
 */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  { maxItems, maxWeight, weigh }: AheadLimits<Item>,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const ahead: { result: Promise<Result>; weight: number }[] = []
  let heavy = 0
  for await (const item of items) {
    const weight = weigh(item)
    while (ahead.length > 0 && (ahead.length >= maxItems || heavy + weight > maxWeight)) {
      const [first] = ahead.splice(0, 1)
      if (first === undefined) break
      yield await first.result
      heavy -= first.weight
    }
    const result = work(item)
    result.catch(() => {}) // reported in its turn
    ahead.push({ result, weight })
    heavy += weight
  }
  for (const { result } of ahead) yield await result
}
