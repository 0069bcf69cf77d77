/**
 * Collects items into batches, because a batch costs the database and the bus little more than a single item. A batch
 * waits only for items that are announced. Without announced items it starts at once.
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
  let running = 0
  let announced = 0

  return {
    add(item, bytes) {
      const batch = withCapacity(waiting.at(-1)) ?? begin()
      batch.items.push(item)
      batch.bytes += bytes
      startNext()
      return batch.done.promise
    },
    expectMore() {
      announced += 1
      return {
        [Symbol.dispose]() {
          announced -= 1
          startNext()
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
      startNext()
    }, maxWaitMs)
    waiting.push(batch)
    return batch
  }

  function startNext(): void {
    const [first, ...later] = waiting
    if (first === undefined || running >= maxOut || !mayStart(first)) return
    waiting = later
    clearTimeout(first.due)
    running += 1
    run(first.items)
      .then(first.done.resolve, first.done.reject)
      .finally(() => {
        running -= 1
        startNext()
      })
    startNext()
  }

  function mayStart(batch: Batch<Item>): boolean {
    if (!withCapacity(batch)) return true
    const isAlone = announced === 0 && running === 0
    return isAlone || batch.isDue
  }

  function withCapacity(batch: Batch<Item> | undefined): Batch<Item> | undefined {
    return batch && batch.items.length < maxItems && batch.bytes < maxBytes ? batch : undefined
  }
}
