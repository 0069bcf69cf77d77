/**
 * Classifies the pages of two runs. Classes contain page ids in the order of the pages' URLs, because ids are few bytes
 * each.
 */

/** Page ids, and the cause for each at the same position. */
export type Left = { ids: number[]; causes: string[] }

/** Each page of either run is in one class. `changedOld` and `changedNew` are one class. */
export type Difference = {
  /** Number of pages of both runs, each URL once. */
  pages: number
  unchanged: number
  added: number[]
  removed: number[]
  /** Ids of the older and the newer page of each pair, at the same position. */
  changedOld: number[]
  changedNew: number[]
  /** Pages with a response in the older run and none in the newer one. */
  notRevisited: Left
  /** Pages without a readable response in the older run, and pages that only the newer run has and could not read. */
  notCompared: Left
  /** Whether both runs have the same rules of comparison, so that pages are compared by them. */
  byRules?: boolean
  /** Whether the rules of the runs differ, so that pages are compared as a whole. */
  haveOtherRules?: boolean
}

/**
 * The class of a pair of pages that differ, as Postgres computes it. `missing` is a page that only the older run has,
 * and `unseen` one that only the newer run has; `none_missing` and `none_unseen` are the same for a 404 or 410.
 */
export type Kind =
  | 'added'
  | 'removed'
  | 'changed'
  | 'not_revisited'
  | 'not_compared'
  | 'missing'
  | 'none_missing'
  | 'unseen'
  | 'none_unseen'

/** All pairs that differ, as columns, in the order of their URLs. */
export type Pairs = {
  pages: number
  unchanged: number
  olds: (number | null)[]
  news: (number | null)[]
  kinds: Kind[]
  /** Pages of the older run whose links the newer run could not read, and the reverse. */
  hiddenInNew: number[]
  hiddenInOld: number[]
}

/** Returns by page id why the other run may have missed a page. Pages that it did not miss are absent. */
export type Missed = { get(id: number): string | undefined }

export function differenceOf({ pages, unchanged, olds, news, kinds }: Pairs, missed: Missed): Difference {
  const difference: Difference = {
    pages,
    unchanged,
    added: [],
    removed: [],
    changedOld: [],
    changedNew: [],
    notRevisited: { ids: [], causes: [] },
    notCompared: { ids: [], causes: [] },
  }
  for (const [n, kind] of kinds.entries())
    addOfKind[kind](difference, { old: olds[n] ?? 0, new: news[n] ?? 0 }, missed)
  return difference
}

/**
 * Returns the difference in which some changed pages count as unchanged.
 * @param small ids of these pages in the newer run
 */
export function withoutSmallChanges(difference: Difference, small: ReadonlySet<number>): Difference {
  if (small.size === 0) return difference
  const { changedOld, changedNew } = difference
  const isKept = (_: number, n: number) => !small.has(changedNew[n] ?? 0)
  return {
    ...difference,
    unchanged: difference.unchanged + small.size,
    changedOld: changedOld.filter(isKept),
    changedNew: changedNew.filter(isKept),
  }
}

/** The ids of a pair of pages. A side that pairs of its kind lack is 0. */
type Pair = { old: number; new: number }

/** The cause for a page that a run has and could not read, because the site returned a challenge. */
const challenge = 'blocked'

const addOfKind: Record<Kind, (difference: Difference, pair: Pair, missed: Missed) => void> = {
  added: ({ added }, pair) => void added.push(pair.new),
  removed: ({ removed }, { old }) => void removed.push(old),
  changed: ({ changedOld, changedNew }, pair) => {
    changedOld.push(pair.old)
    changedNew.push(pair.new)
  },
  not_revisited: ({ notRevisited }, { old }) => leave(notRevisited, old, challenge),
  not_compared: ({ notCompared }, pair) => leave(notCompared, pair.new || pair.old, challenge),
  missing: ({ removed, notRevisited }, { old }, missed) => {
    const cause = missed.get(old)
    if (cause === undefined) removed.push(old)
    else leave(notRevisited, old, cause)
  },
  none_missing: (difference, { old }, missed) => {
    const cause = missed.get(old)
    if (cause === undefined) difference.unchanged++
    else leave(difference.notRevisited, old, cause)
  },
  unseen: ({ added, notCompared }, pair, missed) => {
    const cause = missed.get(pair.new)
    if (cause === undefined) added.push(pair.new)
    else leave(notCompared, pair.new, cause)
  },
  none_unseen: (difference, pair, missed) => {
    const cause = missed.get(pair.new)
    if (cause === undefined) difference.unchanged++
    else leave(difference.notCompared, pair.new, cause)
  },
}

function leave({ ids, causes }: Left, id: number, cause: string): void {
  ids.push(id)
  causes.push(cause)
}
