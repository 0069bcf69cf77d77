/** Work on a stream of items that is done several at once, and told in the order of the items. */

/**
 * Begins no more than `most` ahead of what was taken, so whoever takes slowly slows the work down. Rejects with what
 * the work of an item rejects with, when its turn has come.
 */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  most: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = []
  for await (const item of items) {
    const result = work(item)
    result.catch(() => {}) // told when its turn has come
    underWay.push(result)
    if (underWay.length === most) yield underWay.shift() as Promise<Result>
  }
  yield* underWay
}
