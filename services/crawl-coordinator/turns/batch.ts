/**
 * Gathers items until there are enough, until no more can come, or until the first has waited its time.
 * Whoever gives items gets the promise of the flush that takes them.
 */
const mostItems = 50
/** Of a message's 8 MB: what is decided upon the items has to fit into one as well. */
const mostWeight = 2_000_000
const longestWaitMs = 100

type Options<Item> = {
  /** About the bytes that it adds to what is decided. */
  weigh: (item: Item) => number
  /** Whether this many items are all that can be expected now. */
  complete: (count: number) => boolean
  flush: (items: Item[]) => Promise<void>
}

type Gathering<Item> = {
  items: Item[]
  weight: number
  timer: NodeJS.Timeout
  flushed: PromiseWithResolvers<void>
}

export function batch<Item>({ weigh, complete, flush }: Options<Item>): {
  add(items: Item[]): Promise<void>
} {
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
        timer: setTimeout(send, longestWaitMs),
        flushed: Promise.withResolvers<void>(),
      }
      const { flushed } = gathering
      gathering.items.push(...items)
      gathering.weight += items.reduce((sum, item) => sum + weigh(item), 0)
      const count = gathering.items.length
      if (count >= mostItems || gathering.weight >= mostWeight || complete(count)) send()
      return flushed.promise
    },
  }
}
