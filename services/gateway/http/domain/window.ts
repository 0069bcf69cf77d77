/** Which part of a list is asked for, and where the next begins. */

export type Window = { limit: number; offset: number }

/** One item more than asked for tells whether there is a next part. An offset beyond every list is beyond its end. */
export const oneMore = ({ limit, offset }: Window): Window => ({
  limit: limit + 1,
  offset: Math.min(offset, Number.MAX_SAFE_INTEGER),
})

/** What the answer says, from what was read with one more. */
export function partOf<Item>({ limit, offset }: Window, read: Item[]) {
  const hasMore = read.length > limit
  return { items: hasMore ? read.slice(0, limit) : read, next_offset: hasMore ? offset + limit : null }
}
