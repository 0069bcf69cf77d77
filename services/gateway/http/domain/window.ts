/** Computes the requested part of a list, and the start of the next part. */

export type Window = { limit: number; offset: number }

/** Caps the offset at the largest safe integer: no list is longer, and Postgres rejects offsets beyond 64 bits. */
export const capped = ({ limit, offset }: Window): Window => ({
  limit,
  offset: Math.min(offset, Number.MAX_SAFE_INTEGER),
})

/** Adds one item to the limit, to find out whether there is a next part. Caps the offset. */
export const oneMore = ({ limit, offset }: Window): Window => capped({ limit: limit + 1, offset })

/** Returns the fields of the answer, from a list that was read with one item more. */
export function partOf<Item>({ limit, offset }: Window, read: Item[]) {
  const hasMore = read.length > limit
  return { items: hasMore ? read.slice(0, limit) : read, next_offset: hasMore ? offset + limit : null }
}
