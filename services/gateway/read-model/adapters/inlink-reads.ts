/**
 * The number of other pages that link to each page of a run. It needs every link of the run, so the counts of an ended
 * run are cached for a while.
 */
import { openLinks } from '@tidemark/content/links'
import type { OfProject } from '@tidemark/db/of-project'
import { countInlinks, knownPages } from './count-inlinks.ts'
import type { OfRun } from './crawled-pages.ts'

/** Number of links to each page, by page id; null for a run without stored links. */
export type InlinkCounts = ReadonlyMap<number, number> | null

export type InlinkReads = (run: OfRun) => Promise<InlinkCounts>

/** Runs with cached counts: 10 MB for each 100,000 pages. */
const maxRemembered = 4

export function openInlinkReads(reads: OfProject): InlinkReads {
  const remembered = new Map<number, Promise<InlinkCounts>>()

  async function count(run: OfRun): Promise<InlinkCounts> {
    if (!(await openLinks(reads(run.projectId)).keepsBodies(run.runId))) return null
    const inlinks = await knownPages(reads, run)
    await countInlinks(reads, run, inlinks)
    return new Map(inlinks.counts())
  }

  return async run => {
    const known = remembered.get(run.runId)
    if (known) return known
    if (!(await hasEnded(reads, run))) return count(run)
    const counting = count(run)
    remembered.set(run.runId, counting)
    counting.catch(() => remembered.delete(run.runId))
    const [oldest] = remembered.keys()
    if (remembered.size > maxRemembered && oldest !== undefined) remembered.delete(oldest)
    return counting
  }
}

async function hasEnded(reads: OfProject, { projectId, runId }: OfRun): Promise<boolean> {
  const { rowCount } = await reads(projectId).query(
    'select from read.run where id = $1 and project_id = $2 and finished_at is not null',
    [runId, projectId],
  )
  return rowCount === 1
}
