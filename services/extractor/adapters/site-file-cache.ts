/**
 * What sites answered, remembered for everybody in Redis; while Redis is away by this process alone, as far as a
 * little memory goes.
 */
import type { SiteFile } from '@tidemark/contracts/site-file'
import { lifeOf, type SiteFiles } from '@tidemark/redis/site-files'

export type SiteFileCache = {
  /** Null for what is not known, or not any more. */
  find(url: string): Promise<SiteFile | null>
  keep(url: string, file: SiteFile): Promise<void>
}

/** Of the texts that this process remembers by itself, in characters. */
const mostCharacters = 16 * 1024 ** 2

export function createSiteFileCache(shared: SiteFiles): SiteFileCache {
  const own = createMemory()
  return {
    find: async url => (await shared.find(url).catch(() => null)) ?? own.get(url),
    keep: (url, file) => shared.keep(url, file).catch(() => own.set(url, file)),
  }
}

/** The oldest goes first. */
function createMemory() {
  const kept = new Map<string, { file: SiteFile; until: number }>()
  let size = 0
  const forget = (url: string) => {
    size -= sizeOf(kept.get(url)?.file)
    kept.delete(url)
  }
  return {
    get(url: string): SiteFile | null {
      const entry = kept.get(url)
      if (entry !== undefined && entry.until > performance.now()) return entry.file
      forget(url)
      return null
    },
    set(url: string, file: SiteFile): void {
      forget(url)
      if (lifeOf(file) === 0) return
      kept.set(url, { file, until: performance.now() + lifeOf(file) })
      size += sizeOf(file)
      for (const oldest of kept.keys()) {
        if (size <= mostCharacters) break
        forget(oldest)
      }
    },
  }
}

/** One without a text counts too. */
const sizeOf = (file: SiteFile | undefined): number =>
  file === undefined ? 0 : (file.text?.length ?? 0) + 1024
