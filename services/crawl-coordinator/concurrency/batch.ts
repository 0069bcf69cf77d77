/**
 * Collects items until there are enough, no more can come, or the first has waited long enough. `add` returns the
 * promise of the flush of its items.
 */
const maxItems = 50
/** Maximum bytes of a batch. The decision about its items must fit into a message of 8 MB. */
const maxWeight = 2_000_000
const maxWaitMs = 100

type Options<Item> = {
  /** Returns the approximate bytes that an item adds to the decision. */
  weigh: (item: Item) => number
  /** Returns whether no more than this number of items can be expected now. */
  complete: (count: number) => boolean
  flush: (items: Item[]) => Promise<void>
}

type Gathering<Item> = {
  items: Item[]
  weight: number
  timer: NodeJS.Timeout
  flushed: PromiseWithResolvers<void>
}

export type Batch<Item> = { add(items: Item[]): Promise<void> }

export function batch<Item>({ weigh, complete, flush }: Options<Item>): Batch<Item> {
  let gathering: Gathering<Item> | null = null

  function send(): void {
    if (!gathering) return
    const { items, timer, flushed } = gathering
    clearTimeout(timer)
    gathering = null
    flush(items).then(flushed.resolve, flushed.reject)
  }

  return {
    add(items) {
      gathering ??= {
        items: [],
        weight: 0,
        timer: setTimeout(send, maxWaitMs),
        flushed: Promise.withResolvers<void>(),
      }
      const { flushed } = gathering
      gathering.items.push(...items)
      gathering.weight += items.reduce((sum, item) => sum + weigh(item), 0)
      const count = gathering.items.length
      if (count >= maxItems || gathering.weight >= maxWeight || complete(count)) send()
      return flushed.promise
    },
  }
}
