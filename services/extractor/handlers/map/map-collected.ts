/** Accounts for the memory of the URLs that a map has collected. All maps share a limit. */
import type { Owner } from '@tidemark/bus/fair-line'
import type { Shares } from '../../concurrency/shares.ts'

export type Collected = Disposable & {
  /** Counts a URL until the map ends. Returns false, and counts nothing, if the owner or all maps have too many. */
  add(url: string): boolean
}

/** Bytes that a map takes from the shared limit at once, so that it rarely has to take more. */
const block = 256 * 1024
/** Bytes of an entry beside its URL. */
const perEntry = 100

export function collectedBy(owner: Owner, shares: Pick<Shares, 'take'>): Collected {
  const taken = new DisposableStack()
  let free = 0
  return {
    add({ length }) {
      // A sitemap may still be read when its map has failed.
      if (taken.disposed) return false
      const bytes = length + perEntry
      if (bytes > free) {
        const more = Math.max(block, bytes)
        const share = shares.take(owner, more)
        if (share === null) return false
        taken.use(share)
        free += more
      }
      free -= bytes
      return true
    },
    [Symbol.dispose]: () => taken.dispose(),
  }
}
