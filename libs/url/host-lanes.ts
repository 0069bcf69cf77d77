/** Runs many tasks concurrently, but few per host. */

export type Lanes = {
  concurrency: number
  perHost: number
  signal: AbortSignal
  /** Returns the milliseconds until a host may be requested again. By default no host has to wait. */
  heldMs?: (host: string) => number
}

/**
 * Processes the items, approximately in their order. Resolves when all started work has ended. After the signal aborts,
 * no more work is started. `work` must not reject.
 */
export async function forEachPerHost<Item extends { host: string }>(
  items: readonly Item[],
  { concurrency, perHost, signal, heldMs = never }: Lanes,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = new Set(items)
  const busy = new Map<string, number>()
  const { promise, resolve } = Promise.withResolvers<void>()
  let underWay = 0
  let later: NodeJS.Timeout | undefined
  signal.addEventListener('abort', begin, { once: true })
  begin()
  return promise.finally(() => signal.removeEventListener('abort', begin))

  function begin(): void {
    clearTimeout(later)
    let next = nextItem()
    for (; next.item !== undefined && underWay < concurrency && !signal.aborted; next = nextItem()) {
      const { item } = next
      waiting.delete(item)
      underWay += 1
      busy.set(item.host, (busy.get(item.host) ?? 0) + 1)
      void work(item).then(() => end(item))
    }
    if (underWay === 0 && (waiting.size === 0 || signal.aborted)) resolve()
    else if (next.item === undefined && next.inMs < Infinity) later = setTimeout(begin, next.inMs)
  }

  /** Returns the first item whose host has a free slot; else the milliseconds until the next held host is released. */
  function nextItem(): { item: Item | undefined; inMs: number } {
    let inMs = Infinity
    for (const item of waiting) {
      if ((busy.get(item.host) ?? 0) >= perHost) continue
      const ms = heldMs(item.host)
      if (ms <= 0) return { item, inMs: 0 }
      inMs = Math.min(inMs, ms)
    }
    return { item: undefined, inMs }
  }

  function end({ host }: Item): void {
    underWay -= 1
    busy.set(host, (busy.get(host) ?? 1) - 1)
    begin()
  }
}

const never = (): number => 0
