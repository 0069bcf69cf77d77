/** Limits the bytes of concurrent request bodies: in total, and of each sender. Exceeding bodies are refused. */

export type BodyBudget = {
  /** Reserves bytes. Returns the function that releases them, to be called once; null if a limit would be exceeded. */
  take(sender: number | null, bytes: number): (() => void) | null
}

/**
 * Returns the limit.
 * @param max maximum bytes of all senders together, and of each
 */
export function bodyBudget(max: { all: number; each: number }): BodyBudget {
  const taken = new Map<number | null, number>()
  let all = 0
  return {
    take(sender, bytes) {
      const own = taken.get(sender) ?? 0
      if (all + bytes > max.all || own + bytes > max.each) return null
      all += bytes
      taken.set(sender, own + bytes)
      return () => {
        all -= bytes
        const left = (taken.get(sender) ?? bytes) - bytes
        if (left > 0) taken.set(sender, left)
        else taken.delete(sender)
      }
    },
  }
}
