/** Many pieces of work at once, but few at one host. */

export type Lanes = { concurrency: number; perHost: number; signal: AbortSignal }

/**
 * Does the work of every item, in about the order in which they stand. Resolves when all that was begun is done;
 * once the signal is aborted nothing more begins. The work must not reject.
 */
export async function inLanes<Item extends { host: string }>(
  items: readonly Item[],
  { concurrency, perHost, signal }: Lanes,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = new Set(items)
  const busy = new Map<string, number>()
  const next = (): Item | undefined => {
    for (const item of waiting) if ((busy.get(item.host) ?? 0) < perHost) return item
    return undefined
  }
  const { promise, resolve } = Promise.withResolvers<void>()
  let underWay = 0
  begin()
  return promise

  function begin(): void {
    while (underWay < concurrency && !signal.aborted) {
      const item = next()
      if (item === undefined) break
      waiting.delete(item)
      underWay += 1
      busy.set(item.host, (busy.get(item.host) ?? 0) + 1)
      void work(item).then(() => end(item))
    }
    if (underWay === 0) resolve()
  }

  function end({ host }: Item): void {
    underWay -= 1
    busy.set(host, (busy.get(host) ?? 1) - 1)
    begin()
  }
}
