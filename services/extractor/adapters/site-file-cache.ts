/**
 * What sites answered, remembered for everybody in Redis, and for a minute by this process, which may be asked for
 * hundreds of pages of a site. While Redis is away this process remembers alone, as far as a little memory goes.
 */
import type { SiteFile } from '@tidemark/contracts/site-file'
import { lifeOf, type SiteFiles } from '@tidemark/redis/site-files'

export type SiteFileCache = {
  /** Null for what is not known, or not any more. What was found a moment ago is the same object. */
  find(url: string): Promise<SiteFile | null>
  keep(url: string, file: SiteFile): Promise<void>
}

/** Of the texts that this process remembers by itself, in characters. */
const mostCharacters = 16 * 1024 ** 2
/** Beyond what it holds in Redis, a text is remembered for no longer. */
const freshMs = 60_000

export function createSiteFileCache(shared: SiteFiles): SiteFileCache {
  const own = createMemory()
  return {
    async find(url) {
      const fresh = own.get(url)
      if (fresh !== null) return fresh
      const file = await shared.find(url).catch(() => null)
      if (file !== null) own.set(url, file, Math.min(lifeOf(file), freshMs))
      return file
    },
    async keep(url, file) {
      const isShared = await shared.keep(url, file).then(
        () => true,
        () => false,
      )
      own.set(url, file, isShared ? Math.min(lifeOf(file), freshMs) : lifeOf(file))
    },
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
    set(url: string, file: SiteFile, ms: number): void {
      forget(url)
      if (ms === 0) return
      kept.set(url, { file, until: performance.now() + ms })
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
