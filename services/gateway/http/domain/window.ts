/** Computes the requested part of a list, and the start of the next part. */

export type Window = { limit: number; offset: number }

/** Caps the offset at the largest safe integer: no list is longer, and Postgres rejects offsets beyond 64 bits. */
export const capped = ({ limit, offset }: Window): Window => ({
  limit,
  offset: Math.min(offset, Number.MAX_SAFE_INTEGER),
})

/** Adds one item to the limit, to find out whether there is a next part. Caps the offset. */
export const oneMore = ({ limit, offset }: Window): Window => capped({ limit: limit + 1, offset })

/**
 * Yields the items of a window in batches. The first batch is read by its offset, and the others after the last id, so that a
 * long list costs no more than its items.
 * @param read returns items after this id, in the order of their ids
 */
export async function* inBatches<Item extends { id: number }>(
  { limit, offset }: Window,
  batchLength: number,
  read: (after: number, window: Window) => Promise<Item[]>,
): AsyncGenerator<Item[]> {
  let after = 0
  for (let left = limit; left > 0; left -= batchLength) {
    const count = Math.min(left, batchLength)
    const items = await read(after, { limit: count, offset: after === 0 ? offset : 0 })
    yield items
    if (items.length < count) return
    after = items.at(-1)?.id ?? after
  }
}

/** Returns the fields of the answer, from a list that was read with one item more. */
export function partOf<Item>({ limit, offset }: Window, read: Item[]) {
  const hasMore = read.length > limit
  return { items: hasMore ? read.slice(0, limit) : read, next_offset: hasMore ? offset + limit : null }
}
