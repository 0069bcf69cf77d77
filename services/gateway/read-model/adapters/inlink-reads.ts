/** The number of other pages that link to each page of a run. It needs every link of the run, so it is cached. */
import { openLinks } from '@tidemark/content/links'
import type { OfProject } from '@tidemark/db/of-project'
import { countInlinks, knownPages } from './count-inlinks.ts'
import { cachedByRun, type RunResults } from './run-results.ts'

/** Number of links to each page, by page id; null for a run without stored links. */
export type InlinkCounts = ReadonlyMap<number, number> | null

export type InlinkReads = RunResults<InlinkCounts>

/** Runs with cached counts: 10 MB for each 100,000 pages. */
const maxCached = 4

export const openInlinkReads = (reads: OfProject): InlinkReads =>
  cachedByRun(
    reads,
    async (run, signal) => {
      if (!(await openLinks(reads(run.projectId)).keepsBodies(run.runId))) return null
      const inlinks = await knownPages(reads, run, signal)
      await countInlinks(reads, run, inlinks, { signal })
      return new Map(inlinks.counts())
    },
    { max: maxCached },
  )
