/**
 * Collects items until there are enough, no more can come, or the first has waited long enough. The caller receives the
 * promise of the flush that takes its items.
 */
const maxItems = 50
/** Of a message's 8 MB: the decision about the items must fit into one as well. */
const maxWeight = 2_000_000
const maxWaitMs = 100

type Options<Item> = {
  /** Approximate bytes that it adds to the decision. */
  weigh: (item: Item) => number
  /** Whether no more than this number of items can be expected now. */
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
