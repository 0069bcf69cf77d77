/** The pages of two runs by their fate: ids in the order of their pages' URLs, which are few bytes each. */

/** Pages with the cause of each beside it. */
export type Left = { ids: number[]; causes: string[] }

/** Each page of either run is in one of these classes. */
export type Difference = {
  /** Pages of either run, each URL once. */
  pages: number
  unchanged: number
  added: number[]
  removed: number[]
  /** Side by side. */
  changedOld: number[]
  changedNew: number[]
  /** Pages that the older run has an answer of, and the newer has not. */
  notRevisited: Left
  /** Pages without an answer in the older run, or that only the newer run has and could not read; of either run. */
  notCompared: Left
}

/**
 * Postgres' classification of a pair of pages that differ. `missing` is a page that only the older run has, and
 * `unseen` one that only the newer run has; `none_missing` and `none_unseen` are the same for a 404 or 410.
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

/** Columns of all pairs that are not the same, in the order of their URLs. */
export type Pairs = {
  pages: number
  unchanged: number
  olds: (number | null)[]
  news: (number | null)[]
  kinds: Kind[]
  /** Pages of the older run whose links the newer could not see, and the other way round. */
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
    place[kind](difference, { old: olds[n] ?? null, new: news[n] ?? null }, missed)
  return difference
}

type Pair = { old: number | null; new: number | null }

/** The cause for a page that a run has and could not read: its site showed a challenge. */
const challenge = 'blocked'

const place: Record<Kind, (difference: Difference, pair: Pair, missed: Missed) => void> = {
  added: ({ added }, pair) => void added.push(idOf(pair.new)),
  removed: ({ removed }, { old }) => void removed.push(idOf(old)),
  changed: ({ changedOld, changedNew }, pair) => {
    changedOld.push(idOf(pair.old))
    changedNew.push(idOf(pair.new))
  },
  not_revisited: ({ notRevisited }, { old }) => leave(notRevisited, idOf(old), challenge),
  not_compared: ({ notCompared }, pair) => leave(notCompared, idOf(pair.new ?? pair.old), challenge),
  missing: ({ removed, notRevisited }, { old }, missed) => {
    const cause = missed.get(idOf(old))
    if (cause === undefined) removed.push(idOf(old))
    else leave(notRevisited, idOf(old), cause)
  },
  none_missing: (difference, { old }, missed) => {
    const cause = missed.get(idOf(old))
    if (cause === undefined) difference.unchanged++
    else leave(difference.notRevisited, idOf(old), cause)
  },
  unseen: ({ added, notCompared }, pair, missed) => {
    const cause = missed.get(idOf(pair.new))
    if (cause === undefined) added.push(idOf(pair.new))
    else leave(notCompared, idOf(pair.new), cause)
  },
  none_unseen: (difference, pair, missed) => {
    const cause = missed.get(idOf(pair.new))
    if (cause === undefined) difference.unchanged++
    else leave(difference.notCompared, idOf(pair.new), cause)
  },
}

/** Returns the id on a side that every pair of this kind has. */
const idOf = (id: number | null): number => id ?? 0

function leave({ ids, causes }: Left, id: number, cause: string): void {
  ids.push(id)
  causes.push(cause)
}
