/** Reads runs from the read model. Every query is scoped by the project. */
import type { RunStatus, RunView } from '@tidemark/contracts/http/crawls'
import { unitsOfCrawl } from '@tidemark/contracts/prices'
import { type FetchFailure, reasons } from '@tidemark/contracts/problems'
import type { OfProject } from '@tidemark/db/of-project'
import { gathered } from './gathered.ts'

export type RunReads = {
  /** Returns the run, or null if the read model has no run with this id for the project. */
  find(projectId: number, runId: number): Promise<RunView | null>
  has(projectId: number, runId: number): Promise<boolean>
  /**
   * Returns runs whose id is less than `before`, the latest first: skips `offset` runs, and returns at most `limit`.
   */
  list(
    projectId: number,
    page: {
      limit: number
      offset: number
      before?: number | undefined
      status: RunStatus | undefined
      /** Whether each item has its policy for AI bots, which is long. */
      hasPolicies?: boolean
    },
  ): Promise<RunView[]>
}

type Dates = 'started_at' | 'paused_at' | 'finished_at'
type Row = Required<Omit<RunView, 'warnings' | 'enqueued_at' | Dates>> &
  Record<Dates, Date | null> & { enqueued_at: Date }

const columns = `id, url, status, page_count, error_count, enqueued_at, started_at, paused_at, finished_at, error_message,
  error_reason, stop_reason, webhook_status, webhook_attempts, webhook_last_error, previous_run_id,
  proxy_url, forked_from, pages_reused`

const runsById = `select ${columns}, ai_bot_policy, llms_txt, llms_full_txt from read.run
  where project_id = $1 and id = any($2::bigint[])`

/** Lists omit the llms.txt files, because a thousand of them are too large for one response. */
const someRuns = `select ${columns}, case when $5 then ai_bot_policy end as ai_bot_policy,
    null as llms_txt, null as llms_full_txt
  from read.run
  where project_id = $1 and ($2::text is null or status = $2) and id < $6::bigint
  order by id desc limit $3 offset $4`

/** Larger than the id of any run. */
const maxId = Number.MAX_SAFE_INTEGER

export const openRunReads = (reads: OfProject): RunReads => ({
  // Clients poll runs in progress, so concurrent reads are batched.
  find: gathered(async (projectId, ids: number[]) => {
    const statement = { name: 'runs', text: runsById, values: [projectId, ids] }
    const { rows } = await reads(projectId).query<Row>(statement)
    return new Map(rows.map(row => [row.id, viewOf(row)]))
  }),

  async has(projectId, runId) {
    const statement = 'select from read.run where id = $1 and project_id = $2'
    const { rowCount } = await reads(projectId).query(statement, [runId, projectId])
    return rowCount === 1
  },

  async list(projectId, { limit, offset, before = maxId, status, hasPolicies = false }) {
    const values = [projectId, status ?? null, limit, offset, hasPolicies, before]
    const { rows } = await reads(projectId).query<Row>(someRuns, values)
    return rows.map(viewOf)
  },
})

const viewOf = ({ enqueued_at, started_at, paused_at, finished_at, ...rest }: Row): RunView => ({
  ...rest,
  enqueued_at: enqueued_at.toISOString(),
  started_at: started_at?.toISOString() ?? null,
  paused_at: paused_at?.toISOString() ?? null,
  finished_at: finished_at?.toISOString() ?? null,
})

/** Returns the billed pages of a run so far, from its pages in the read model. */
export const unitsOfRunBy =
  (reads: OfProject) =>
  async (projectId: number, runId: number): Promise<number> => {
    const { rows } = await reads(projectId).query<{ pages: number; blocked: number; rendered: number }>(
      `select count(*)::int as pages, count(*) filter (where blocked)::int as blocked,
         count(*) filter (where rendered and not blocked)::int as rendered
       from read.page
       where run_id = $1 and project_id = $2 and not carried`,
      [runId, projectId],
    )
    const { pages = 0, blocked = 0, rendered = 0 } = rows[0] ?? {}
    return unitsOfCrawl({ fetched: pages, blocked, rendered, carried: 0 }).page
  }

/** Selects the first failure. A crawl without a page has only fetched the seed and its redirects. */
const firstFailure = `select cause from read.pageless
  where run_id = $1 and project_id = $2 and cause = any($3) order by sequence limit 1`

/** Returns why a failed run has no page: the outcome of its seed; null: the cause has no reason code. */
export const seedFailureOf =
  (reads: OfProject) =>
  async (projectId: number, runId: number): Promise<FetchFailure | null> => {
    const { rows } = await reads(projectId).query<{ cause: FetchFailure }>(firstFailure, [
      runId,
      projectId,
      reasons.fetch_failed,
    ])
    return rows[0]?.cause ?? null
  }
