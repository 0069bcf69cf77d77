/**
 * Cache of sites' responses, in Redis for all processes and for a minute in this process, which may fetch hundreds of
 * pages of a site. Large texts, and all texts while Redis is unavailable, are cached by this process alone, in little
 * memory.
 */
import type { SiteFile } from '@tidemark/contracts/site-file'
import { lifeOf, type SiteFiles } from '@tidemark/redis/site-files'

export type SiteFileCache = {
  /** Returns null for unknown or expired entries. Repeated reads within a minute return the same object. */
  find(url: string): Promise<SiteFile | null>
  keep(url: string, file: SiteFile): Promise<void>
}

/** Maximum size of the texts in this process, in characters. */
const maxCharacters = 16 * 1024 ** 2
/** Maximum milliseconds for which this process keeps a text that it has read from Redis. */
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
      const isShared = await shared.keep(url, file).catch(() => false)
      own.set(url, file, isShared ? Math.min(lifeOf(file), freshMs) : lifeOf(file))
    },
  }
}

/** Evicts the oldest entry first. */
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
        if (size <= maxCharacters) break
        forget(oldest)
      }
    },
  }
}

/** Returns the size of an entry in characters. Each entry counts 1,024 in addition to its text, if it has one. */
const sizeOf = (file: SiteFile | undefined): number =>
  file === undefined ? 0 : (file.text?.length ?? 0) + 1024
