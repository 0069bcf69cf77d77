/**
 * Collects items into batches, because a batch costs the database and the bus little more than a single item. A batch
 * never waits for items that are not announced: otherwise it starts at once.
 */

type Options<Item> = {
  maxItems: number
  maxBytes: number
  /** Concurrent batches. */
  maxOut: number
  /** Maximum wait of an item while others keep coming. */
  maxWaitMs: number
  run: (items: Item[]) => Promise<void>
}

export type Batches<Item> = {
  /** Resolves when the item's batch has run, and rejects as the batch did. */
  add(item: Item, bytes: number): Promise<void>
  /** Until disposed, more items are announced, and a batch that is not full waits for them. */
  expectMore(): Disposable
}

type Batch<Item> = {
  items: Item[]
  bytes: number
  done: PromiseWithResolvers<void>
  /** Whether the maximum wait has passed. */
  isDue: boolean
  due: NodeJS.Timeout | undefined
}

export function createBatches<Item>(options: Options<Item>): Batches<Item> {
  const { maxItems, maxBytes, maxOut, maxWaitMs, run } = options
  let waiting: Batch<Item>[] = []
  let out = 0
  let inSight = 0

  return {
    add(item, bytes) {
      const batch = roomy(waiting.at(-1)) ?? begin()
      batch.items.push(item)
      batch.bytes += bytes
      consider()
      return batch.done.promise
    },
    expectMore() {
      inSight += 1
      return {
        [Symbol.dispose]() {
          inSight -= 1
          consider()
        },
      }
    },
  }

  function begin(): Batch<Item> {
    const batch: Batch<Item> = {
      items: [],
      bytes: 0,
      done: Promise.withResolvers(),
      isDue: false,
      due: undefined,
    }
    batch.due = setTimeout(() => {
      batch.isDue = true
      consider()
    }, maxWaitMs)
    waiting.push(batch)
    return batch
  }

  function consider(): void {
    const [first, ...later] = waiting
    if (first === undefined || out >= maxOut || !mayGo(first)) return
    waiting = later
    clearTimeout(first.due)
    out += 1
    run(first.items)
      .then(first.done.resolve, first.done.reject)
      .finally(() => {
        out -= 1
        consider()
      })
    consider()
  }

  function mayGo(batch: Batch<Item>): boolean {
    if (!roomy(batch)) return true
    const isAlone = inSight === 0 && out === 0
    return isAlone || batch.isDue
  }

  function roomy(batch: Batch<Item> | undefined): Batch<Item> | undefined {
    return batch && batch.items.length < maxItems && batch.bytes < maxBytes ? batch : undefined
  }
}
