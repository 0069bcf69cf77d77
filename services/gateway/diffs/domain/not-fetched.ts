/**
 * Decides whether a run could have found the pages of another run that it does not have. A missing page proves nothing
 * about the site if the pages that link to it could not be read.
 */
import { cutsShort } from '@tidemark/contracts/run-ends'
import { marks } from '../../read-model/domain/without-page.ts'

/** The run without the pages. */
export type OtherRun = {
  status: string
  stopReason: string | null
  isFrontierFull: boolean
  /** A sitemap that the other run read could not be fetched, or was read in part while the other run read all of it. */
  lacksSitemap: boolean
  /** This run reached `max_pages` before it had requested a sitemap that the other run read. */
  leavesSitemap: boolean
}

type Rule = { holds: (run: OtherRun) => boolean; cause: (run: OtherRun) => string }

/** Rules for all missing pages of a run. The first match is the cause. */
const rules: Rule[] = [
  { holds: ({ status }) => status === 'queued' || status === 'running', cause: () => 'pending' },
  { holds: ({ status }) => status === 'cancelled', cause: () => 'cancelled' },
  {
    holds: ({ stopReason }) => stopReason !== null && cutsShort(stopReason),
    cause: ({ stopReason }) => stopReason ?? '',
  },
  { holds: ({ status }) => status === 'failed', cause: () => 'run_failed' },
  { holds: ({ isFrontierFull }) => isFrontierFull, cause: () => marks.frontierFull },
  { holds: ({ lacksSitemap }) => lacksSitemap, cause: () => 'sitemap' },
  { holds: ({ leavesSitemap }) => leavesSitemap, cause: () => 'max_pages' },
]

/**
 * Returns the cause for all missing pages; null: the run finished all of its URLs, so only pages behind unread ones may
 * be hidden from it.
 */
export const missedBy = (run: OtherRun): string | null =>
  rules.find(({ holds }) => holds(run))?.cause(run) ?? null

/** The cause if a page that links to the page could not be read. */
export const unknownCause = 'unknown'

/** Returns the keys of the link targets of these pages. */
export type LinkedFrom = (keys: readonly string[]) => AsyncIterable<string>

/**
 * Returns the missing pages that are linked from unread pages, directly or through other missing pages; null: more than
 * `maxPages` pages would have to be read.
 * @param maxPages maximum number of pages whose links are read in all rounds
 */
export async function hiddenBehind(
  unread: readonly string[],
  missing: ReadonlySet<string>,
  linkedFrom: LinkedFrom,
  maxPages: number,
): Promise<Set<string> | null> {
  const hidden = new Set<string>()
  let read = 0
  for (let next = [...unread]; next.length > 0 && hidden.size < missing.size; ) {
    read += next.length
    if (read > maxPages) return null
    const found: string[] = []
    for await (const key of linkedFrom(next)) {
      if (!missing.has(key) || hidden.has(key)) continue
      hidden.add(key)
      found.push(key)
    }
    next = found
  }
  return hidden
}
