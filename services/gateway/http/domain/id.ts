/** Ids in paths. A text that cannot be an id is treated like an unknown id. */

/** Returns the id, or null unless it is a positive integer below 2^53 in plain digits. */
export function readId(text: unknown): number | null {
  if (typeof text !== 'string' || !/^[1-9]\d{0,15}$/.test(text)) return null
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : null
}
