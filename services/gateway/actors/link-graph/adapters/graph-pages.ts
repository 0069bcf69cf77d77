/** Reads the pages of a run for its link graph: their keys, the redirects, and the start. */
import { maxPagesOfGraph } from '@tidemark/contracts/rpc/link-graph'
import type { OfProject } from '@tidemark/db/of-project'
import type { OfRun } from '../../../read-model/adapters/crawled-pages.ts'
import { redirectsOf } from '../../../read-model/adapters/redirect-reads.ts'
import { startKeysOf } from '../../domain/start-keys.ts'

export type PagesOfGraph = {
  /**
   * URL keys in the order of the URLs. If there are too many pages, only the pages with the lowest ids are included.
   */
  keys: string[]
  /** URL keys of redirects and of their targets. */
  redirects: Map<string, string>
  /** URL keys of the possible starts of the run: the seed, and the root of its host. */
  starts: string[]
  hasEnded: boolean
  /** Whether the run has more pages than the maximum. */
  isCut: boolean
}

export type GraphPages = {
  list(run: OfRun): Promise<PagesOfGraph>
  /** Returns the URLs of pages by their keys. */
  urls(run: OfRun, keys: readonly string[]): Promise<Map<string, string>>
}

const sorted = `
  select url_key from (
    select url_key, url from read.page where run_id = $1 and project_id = $2 order by id limit $3
  ) as page
  order by url collate "C"`

const beyond = `select from read.page where run_id = $1 and project_id = $2 order by id offset $3 limit 1`

const named = `
  select url_key, url from read.page where run_id = $1 and project_id = $2 and url_key = any($3)`

const urlsAtOnce = 1_000

export function openGraphPages(reads: OfProject): GraphPages {
  return {
    async list(run) {
      const { projectId, runId } = run
      const values = [runId, projectId, maxPagesOfGraph]
      const { rows: pages } = await reads(projectId).query<{ url_key: string }>(sorted, values)
      const isFull = pages.length === maxPagesOfGraph
      const isCut = isFull && (await reads(projectId).query(beyond, values)).rowCount === 1
      const keys = pages.map(({ url_key }) => url_key)
      return { keys, redirects: await targetsOf(run), isCut, ...(await stateOf(run)) }
    },

    async urls({ projectId, runId }, keys) {
      const urls = new Map<string, string>()
      for (let at = 0; at < keys.length; at += urlsAtOnce) {
        const values = [runId, projectId, keys.slice(at, at + urlsAtOnce)]
        const { rows } = await reads(projectId).query<{ url_key: string; url: string }>(named, values)
        for (const { url_key, url } of rows) urls.set(url_key, url)
      }
      return urls
    },
  }

  /** Returns the last target of each URL that redirected. */
  async function targetsOf(run: OfRun): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    for await (const { keys, targets } of redirectsOf(reads, run))
      for (const [n, key] of keys.entries()) if (!found.has(key)) found.set(key, targets[n] as string)
    return found
  }

  async function stateOf({ projectId, runId }: OfRun): Promise<Pick<PagesOfGraph, 'starts' | 'hasEnded'>> {
    const text = 'select url, finished_at from read.run where id = $1 and project_id = $2'
    type Row = { url: string; finished_at: Date | null }
    const { rows } = await reads(projectId).query<Row>(text, [runId, projectId])
    const [run] = rows
    if (run === undefined) return { starts: [], hasEnded: false }
    return { starts: startKeysOf(run.url), hasEnded: run.finished_at !== null }
  }
}
