/**
 * Pages of one run that another run never saw: whether it could have seen them. A page is no evidence about the site if
 * the pages that link to it could not be read.
 */
import { cutsShort } from '@tidemark/contracts/run'
import { marks } from '../../read-model/domain/pageless.ts'

/** The run that never saw them. */
export type Seer = {
  status: string
  stopReason: string | null
  isFrontierFull: boolean
  /** A sitemap that the other run read could not be fetched. */
  lacksSitemap: boolean
}

type Rule = { holds: (run: Seer) => boolean; cause: (run: Seer) => string }

/** The first match is the cause for missing pages. */
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
]

/** Null: it finished all of its URLs, so only unread pages hide others from it. */
export const missedBy = (run: Seer): string | null =>
  rules.find(({ holds }) => holds(run))?.cause(run) ?? null

/** A page that links to it could not be read. */
export const unknownCause = 'unknown'

/** The keys that the pages with these keys link to. */
export type LinkedFrom = (keys: readonly string[]) => AsyncIterable<string>

/**
 * Returns the missing pages that are linked from unread pages, directly or through other missing pages: these are hidden,
 * the others are not.
 * @param most maximum number of pages whose links are read in all rounds; null if that is not enough
 */
export async function hiddenBehind(
  unread: readonly string[],
  unseen: ReadonlySet<string>,
  linkedFrom: LinkedFrom,
  most: number,
): Promise<Set<string> | null> {
  const hidden = new Set<string>()
  let read = 0
  for (let next = [...unread]; next.length > 0 && hidden.size < unseen.size; ) {
    read += next.length
    if (read > most) return null
    const found: string[] = []
    for await (const key of linkedFrom(next)) {
      if (!unseen.has(key) || hidden.has(key)) continue
      hidden.add(key)
      found.push(key)
    }
    next = found
  }
  return hidden
}
