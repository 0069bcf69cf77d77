/**
 * Reads the data of a run from the read model: its pages batch by batch, the other URLs, its start, and URLs by key.
 */
import { maxPagesOfAudit } from '@tidemark/contracts/rpc/site-audit'
import type { OfProject } from '@tidemark/db/of-project'
import type { OfRun } from '../../../read-model/adapters/crawled-pages.ts'
import { marks } from '../../../read-model/domain/without-page.ts'
import { startKeysOf } from '../../domain/start-keys.ts'
import { ignoredCauses, OtherUrls } from '../domain/other-urls.ts'
import type { RunFacts } from '../domain/site.ts'

export type StoredPage = {
  id: number
  key: string
  url: string
  status: number
  fetchedAt: string
  isBlocked: boolean
}

export type SiteReads = {
  facts(run: OfRun): Promise<RunFacts>
  /** Yields the pages by id, up to the maximum. */
  pages(run: OfRun, batchLength: number): AsyncGenerator<StoredPage[]>
  /** Returns the pages with these URL keys by key. */
  named(run: OfRun, keys: readonly string[]): Promise<Map<string, StoredPage>>
}

type PageRow = Omit<StoredPage, 'key' | 'fetchedAt' | 'isBlocked'> & {
  url_key: string
  fetched_at: Date
  blocked: boolean
}

const ofRun = `
  select id, url_key, url, status, fetched_at, blocked from read.page where run_id = $1 and project_id = $2`
const batch = `${ofRun} and id > $3 order by id limit $4`
const named = `${ofRun} and url_key = any($3)`

const counted = `
  select count(*)::integer as pages, coalesce(bool_or(depth > 0), false) as followed from (
    select depth from read.page where run_id = $1 and project_id = $2 limit $3
  ) as page`

const withoutPage = `
  select sequence, cause, keys, targets from read.pageless
  where run_id = $1 and project_id = $2 and (sequence, cause) > ($3, $4) and cause <> all($5)
  order by sequence, cause limit $6`

const rowsAtOnce = 200

export function openSiteReads(reads: OfProject): SiteReads {
  return {
    facts: async run => ({ ...(await runFactsOf(reads, run)), ...(await othersOf(run)) }),

    async *pages({ projectId, runId }, batchLength) {
      let after = 0
      for (let left = maxPagesOfAudit; left > 0; left -= batchLength) {
        const values = [runId, projectId, after, Math.min(left, batchLength)]
        const { rows } = await reads(projectId).query<PageRow>({ name: 'site-pages', text: batch, values })
        if (rows.length === 0) return
        yield rows.map(pageOf)
        after = rows.at(-1)?.id ?? after
      }
    },

    async named({ projectId, runId }, keys) {
      const { rows } = await reads(projectId).query<PageRow>(named, [runId, projectId, keys])
      return new Map(rows.map(row => [row.url_key, pageOf(row)]))
    },
  }

  async function othersOf({ projectId, runId }: OfRun) {
    type Row = { sequence: number; cause: string; keys: string[]; targets: string[] | null }
    const others = new OtherUrls()
    let hasSitemaps = false
    let last: Pick<Row, 'sequence' | 'cause'> = { sequence: -1, cause: '' }
    for (;;) {
      const values = [runId, projectId, last.sequence, last.cause, ignoredCauses, rowsAtOnce]
      const { rows } = await reads(projectId).query<Row>(withoutPage, values)
      for (const { cause, keys, targets } of rows) {
        hasSitemaps ||= cause === marks.sitemapRead
        others.note(cause, keys, targets)
      }
      last = rows.at(-1) ?? last
      if (rows.length < rowsAtOnce) return { others, hasSitemaps }
    }
  }
}

async function runFactsOf(reads: OfProject, { projectId, runId }: OfRun) {
  type Run = { url: string; finished_at: Date | null; stop_reason: string | null }
  type Counts = { pages: number; followed: boolean }
  const values = [runId, projectId]
  const [{ rows: counts }, { rows: runs }] = await Promise.all([
    reads(projectId).query<Counts>(counted, [...values, maxPagesOfAudit + 1]),
    reads(projectId).query<Run>(
      'select url, finished_at, stop_reason from read.run where id = $1 and project_id = $2',
      values,
    ),
  ])
  const [{ pages, followed } = { pages: 0, followed: false }] = counts
  const [{ url, finished_at, stop_reason } = { url: '', finished_at: null, stop_reason: null }] = runs
  return {
    pages: Math.min(pages, maxPagesOfAudit),
    isCut: pages > maxPagesOfAudit,
    hasEnded: finished_at !== null,
    hasFollowed: followed,
    isComplete: stop_reason === 'exhausted',
    starts: startKeysOf(url),
  }
}

const pageOf = ({ url_key, fetched_at, blocked, ...row }: PageRow): StoredPage => ({
  ...row,
  key: url_key,
  fetchedAt: fetched_at.toISOString(),
  isBlocked: blocked,
})
