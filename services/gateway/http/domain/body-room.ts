/** So many bytes of bodies may be under way at once, and of those of one asker only a part: what is too much is refused. */

export type BodyRoom = {
  /** What gives the bytes back, to be called once; null where there is no room for them. */
  take(asker: number | null, bytes: number): (() => void) | null
}

/** @param most bytes of all askers together, and of one */
export function bodyRoom(most: { all: number; each: number }): BodyRoom {
  const taken = new Map<number | null, number>()
  let all = 0
  return {
    take(asker, bytes) {
      const own = taken.get(asker) ?? 0
      if (all + bytes > most.all || own + bytes > most.each) return null
      all += bytes
      taken.set(asker, own + bytes)
      return () => {
        all -= bytes
        const left = (taken.get(asker) ?? bytes) - bytes
        if (left > 0) taken.set(asker, left)
        else taken.delete(asker)
      }
    },
  }
}
