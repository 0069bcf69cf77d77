/**
 * Batches items that are ready within a few milliseconds into one message. Each message costs the bus one sync to
 * disk; its bytes cost little. The caller learns when the message of its item is stored.
 */

type Options<Item> = {
  maxItems: number
  maxBytes: number
  maxWaitMs: number
  send: (subject: string, items: Item[]) => Promise<void>
}

/**
 * Adds an item to the open message of a subject. Resolves when the message is stored, and rejects like `send`. An item
 * above `maxBytes` has a message of its own.
 */
export type Add<Item> = (subject: string, item: Item, bytes: number) => Promise<void>

type Batch<Item> = { items: Item[]; bytes: number; sent: PromiseWithResolvers<void>; timer: NodeJS.Timeout }

export function coalesce<Item>({ maxItems, maxBytes, maxWaitMs, send }: Options<Item>): Add<Item> {
  const open = new Map<string, Batch<Item>>()

  return (subject, item, bytes) => {
    const current = open.get(subject)
    if (current && current.bytes + bytes > maxBytes) close(subject, current)
    const batch = open.get(subject) ?? begin(subject)
    batch.items.push(item)
    batch.bytes += bytes
    if (batch.items.length >= maxItems || batch.bytes >= maxBytes) close(subject, batch)
    return batch.sent.promise
  }

  function begin(subject: string): Batch<Item> {
    const timer = setTimeout(() => close(subject, batch), maxWaitMs)
    const batch: Batch<Item> = { items: [], bytes: 0, sent: Promise.withResolvers(), timer }
    open.set(subject, batch)
    return batch
  }

  function close(subject: string, { items, sent, timer }: Batch<Item>): void {
    clearTimeout(timer)
    open.delete(subject)
    send(subject, items).then(sent.resolve, sent.reject)
  }
}
