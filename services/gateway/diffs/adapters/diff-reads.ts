/**
 * Reads the differences between the pages of two runs. One statement compares all pages and returns their ids, which
 * are few bytes each. The pages themselves are read in batches when they are sent.
 */
import type { RunDiff } from '@tidemark/contracts/http/links'
import type { OfProject } from '@tidemark/db/of-project'
import {
  type Difference,
  differenceOf,
  type Kind,
  type Left,
  type Pairs,
  withoutSmallChanges,
} from '../domain/difference.ts'
import {
  comparisonBy,
  type DiffHash,
  pageNamed,
  shownChanges,
  shownLeft,
  shownPages,
} from './diff-statement.ts'
import type { FewWords } from './few-words.ts'
import { openMissedPages } from './missed-pages.ts'
import { openRunRules } from './run-rules.ts'

type OnePage = RunDiff['added'][number]
/** A changed page, with the ids of its two stored pages. */
export type ChangedPage = RunDiff['changed'][number] & { oldId: number; newId: number }
type LeftPage = RunDiff['not_revisited'][number]

export type DiffReads = {
  /** Compares two runs. If the signal aborts, it ends soon, and more causes are unknown. */
  compare(projectId: number, oldRunId: number, newRunId: number, signal?: AbortSignal): Promise<Difference>
  /** Yields the pages with these ids, in this order. */
  pages(projectId: number, ids: readonly number[]): AsyncGenerator<OnePage[]>
  left(projectId: number, left: Left): AsyncGenerator<LeftPage[]>
  /** Yields the changed pages. Pages of a run that is deleted meanwhile are absent. */
  changes(projectId: number, difference: Difference): AsyncGenerator<ChangedPage[]>
  /** Returns the run's page of this URL, or null. */
  find(projectId: number, runId: number, urlKey: string): Promise<NamedPage | null>
}

type StoredPage = { id: number; url: string; status: number }
export type NamedPage = StoredPage & { runId: number; urlKey: string }

const none: Pairs = {
  pages: 0,
  unchanged: 0,
  olds: [],
  news: [],
  kinds: [],
  hiddenInNew: [],
  hiddenInOld: [],
}
const shownAtOnce = 5_000

/** @param fewWords Without it every change counts, also for runs that count words. */
export function openDiffReads(
  reads: OfProject,
  hash: DiffHash = 'normalised',
  fewWords: FewWords = async () => new Set(),
): DiffReads {
  const missedPages = openMissedPages(reads)
  const rulesOf = openRunRules(reads)

  return {
    async compare(projectId, oldRunId, newRunId, signal) {
      const by = await rulesOf(projectId, oldRunId, newRunId)
      const byRules = by.areSame && by.rules !== null
      const comparison = comparisonBy(hash, byRules)
      const { rows } = await reads(projectId).query<Pairs>(comparison, [projectId, oldRunId, newRunId])
      const pairs = rows[0] ?? none
      const missing = idsOf(pairs, 'olds', ['missing', 'none_missing'])
      const onlyNew = idsOf(pairs, 'news', ['unseen', 'none_unseen'])
      const about = { projectId, signal }
      const ofOld = { ...about, runId: oldRunId, missedBy: newRunId, ids: missing, unread: pairs.hiddenInNew }
      const ofNew = { ...about, runId: newRunId, missedBy: oldRunId, ids: onlyNew, unread: pairs.hiddenInOld }
      const [missed, hidden] = await Promise.all([missedPages(ofOld), missedPages(ofNew)])
      const found = differenceOf(pairs, { get: id => missed.get(id) ?? hidden.get(id) })
      const difference = { ...found, byRules, haveOtherRules: !by.areSame }
      return withoutSmallChanges(difference, await fewWords(projectId, difference, by, signal))
    },

    async *pages(projectId, ids) {
      for (const part of partsOf(ids)) yield await rowsOf<OnePage>(projectId, shownPages(hash), [part])
    },

    async *left(projectId, { ids, causes }) {
      for (const [n, part] of partsOf(ids).entries()) {
        const from = n * shownAtOnce
        yield await rowsOf<LeftPage>(projectId, shownLeft, [part, causes.slice(from, from + shownAtOnce)])
      }
    },

    async *changes(projectId, { changedOld, changedNew, byRules = false }) {
      const statement = shownChanges(hash, byRules)
      for (const [n, part] of partsOf(changedOld).entries()) {
        const from = n * shownAtOnce
        const news = changedNew.slice(from, from + shownAtOnce)
        yield await rowsOf<ChangedPage>(projectId, statement, [part, news])
      }
    },

    async find(projectId, runId, urlKey) {
      const [row] = await rowsOf<StoredPage>(projectId, pageNamed, [runId, urlKey])
      return row === undefined ? null : { ...row, runId, urlKey }
    },
  }

  async function rowsOf<Row extends object>(
    projectId: number,
    text: string,
    values: unknown[],
  ): Promise<Row[]> {
    return (await reads(projectId).query<Row>(text, [projectId, ...values])).rows
  }
}

/** Returns the pages on one side of the pairs of these kinds. */
function idsOf({ kinds, ...sides }: Pairs, side: 'olds' | 'news', wanted: readonly Kind[]): number[] {
  const ids: number[] = []
  for (const [n, kind] of kinds.entries()) if (wanted.includes(kind)) ids.push(sides[side][n] ?? 0)
  return ids
}

function partsOf(ids: readonly number[]): (readonly number[])[] {
  const parts: (readonly number[])[] = []
  for (let at = 0; at < ids.length; at += shownAtOnce) parts.push(ids.slice(at, at + shownAtOnce))
  return parts
}
