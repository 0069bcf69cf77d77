/** The pages of two runs by what became of them: ids in the order of their pages' URLs, which are few bytes each. */

/** Pages with the cause of each beside it. */
export type Left = { ids: number[]; causes: string[] }

export type Difference = {
  unchanged: number
  added: number[]
  removed: number[]
  /** Side by side. */
  changedOld: number[]
  changedNew: number[]
  /** Of the older run. */
  notRevisited: Left
  /** Of the newer run. */
  notCompared: Left
}

/**
 * What Postgres tells of a pair of pages that are not the same. `missing` is a page that the newer run has not and
 * says nothing of, `unseen` one that the older run has not and says nothing of; `faulty` is none that anything could
 * be compared with.
 */
export type Kind =
  | 'added'
  | 'removed'
  | 'changed'
  | 'not_revisited'
  | 'not_compared'
  | 'faulty'
  | 'missing'
  | 'unseen'

/** Columns of all pairs that are not the same, in the order of their URLs. */
export type Pairs = {
  unchanged: number
  olds: (number | null)[]
  news: (number | null)[]
  kinds: Kind[]
  causes: (string | null)[]
}

/** Why the other run may have missed pages that it never saw, by their ids; those that are not there it did not miss. */
export type Missed = { get(id: number): string | undefined }

export function differenceOf({ unchanged, olds, news, kinds, causes }: Pairs, missed: Missed): Difference {
  const difference: Difference = {
    unchanged,
    added: [],
    removed: [],
    changedOld: [],
    changedNew: [],
    notRevisited: { ids: [], causes: [] },
    notCompared: { ids: [], causes: [] },
  }
  for (const [n, kind] of kinds.entries())
    place[kind](difference, { old: olds[n] ?? 0, new: news[n] ?? 0, cause: causes[n] ?? '' }, missed)
  return difference
}

type Pair = { old: number; new: number; cause: string }

const place: Record<Kind, (difference: Difference, pair: Pair, missed: Missed) => void> = {
  added: ({ added }, pair) => void added.push(pair.new),
  removed: ({ removed }, pair) => void removed.push(pair.old),
  changed: ({ changedOld, changedNew }, pair) => {
    changedOld.push(pair.old)
    changedNew.push(pair.new)
  },
  not_revisited: ({ notRevisited }, { old, cause }) => leave(notRevisited, old, cause),
  not_compared: ({ notCompared }, pair) => leave(notCompared, pair.new, pair.cause),
  faulty: ({ notCompared }, pair) => leave(notCompared, pair.new, pair.cause),
  missing: ({ removed, notRevisited }, { old }, missed) => {
    const cause = missed.get(old)
    if (cause === undefined) removed.push(old)
    else leave(notRevisited, old, cause)
  },
  unseen: ({ added, notCompared }, pair, missed) => {
    const cause = missed.get(pair.new)
    if (cause === undefined) added.push(pair.new)
    else leave(notCompared, pair.new, cause)
  },
}

function leave({ ids, causes }: Left, id: number, cause: string): void {
  ids.push(id)
  causes.push(cause)
}
