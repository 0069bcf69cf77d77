/**
 * Pages of one run that another run never saw: whether it could have. A page that is missing because those that link
 * to it could not be read says nothing of the site.
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

/** The first that holds is why the run may have missed anything. */
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

/** Null: it was through with all that it found, so only what it could not read hides pages from it. */
export const missedBy = (run: Seer): string | null =>
  rules.find(({ holds }) => holds(run))?.cause(run) ?? null

/** A page that links to it could not be read. */
export const unknownCause = 'unknown'

/** The keys that the pages with these keys link to. */
export type LinkedFrom = (keys: readonly string[]) => AsyncIterable<string>

/**
 * Which of the pages that were never seen are linked from what could not be read, on its own or over others that
 * were never seen: these are hidden, the rest is not.
 * @param most pages whose links may be read, in all rounds together; null where that would not do
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
