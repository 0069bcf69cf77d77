/** A run and its pages with the stored values that a replay compares. Every query is scoped by the project. */
import { openLinks } from '@tidemark/content/links'
import type { StoredPage } from '@tidemark/contracts/rpc/replay'
import type { CompareRules } from '@tidemark/contracts/run-settings'
import type { OfProject } from '@tidemark/db/of-project'
import type { Window } from '../../http/domain/window.ts'
import type { OfRun } from '../../read-model/adapters/crawled-pages.ts'

export type RunToReplay = {
  /** Number of its pages. */
  total: number
  hasEnded: boolean
  /** Its rules of comparison. */
  comparison: CompareRules | null
}

/** `stored` is the page for the extractor. */
export type PageToReplay = { id: number; stored: StoredPage }

export type ReplayReads = {
  /** Returns null if the read model has no such run of the project yet. */
  run(run: OfRun): Promise<RunToReplay | null>
  /** Whether the run keeps bodies; true if it has no page yet. */
  keepsBodies(run: OfRun): Promise<boolean>
  /** Returns the pages of the window in the order of their ids. */
  pages(run: OfRun, window: Window): Promise<PageToReplay[]>
}

const oneRun = `select page_count as total, finished_at is not null as "hasEnded", comparison
  from read.run where id = $1 and project_id = $2`

const pagesOfRun = `
  select id, url_key as key, url, status, fetched_at as "fetchedAt", rendered, title, content_hash as "contentHash",
    raw_hash as "rawHash", comparison_hash as "comparisonHash"
  from read.page
  where run_id = $1 and project_id = $2 and exists (select from read.run where run.id = $1)
  order by id limit $3 offset $4`

type Row = { id: number } & Omit<StoredPage, 'fetchedAt'> & { fetchedAt: Date }

export const openReplayReads = (reads: OfProject): ReplayReads => ({
  async run({ projectId, runId }) {
    const { rows } = await reads(projectId).query<RunToReplay>(oneRun, [runId, projectId])
    return rows[0] ?? null
  },

  keepsBodies: ({ projectId, runId }) => openLinks(reads(projectId)).keepsBodies(runId),

  async pages({ projectId, runId }, { limit, offset }) {
    const values = [runId, projectId, limit, offset]
    const { rows } = await reads(projectId).query<Row>({ name: 'replayed-pages', text: pagesOfRun, values })
    return rows.map(({ id, fetchedAt, ...page }) => ({
      id,
      stored: { ...page, fetchedAt: fetchedAt.toISOString() },
    }))
  },
})
