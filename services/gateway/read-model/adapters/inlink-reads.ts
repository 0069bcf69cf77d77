/** The number of other pages that link to each page of a run. It needs every link of the run, so it is cached. */
import { openLinks } from '@tidemark/content/links'
import { countInlinks, knownPages } from './count-inlinks.ts'
import { cachedByRun, type RunResults } from './run-results.ts'
import type { LinkSource } from './scan-links.ts'

/** Number of links to each page, by page id; null for a run without stored links. */
export type InlinkCounts = ReadonlyMap<number, number> | null

export type InlinkReads = RunResults<InlinkCounts>

/** Runs with cached counts: 10 MB for each 100,000 pages. */
const maxCached = 4

export const openInlinkReads = (source: LinkSource): InlinkReads =>
  cachedByRun(
    source.reads,
    async (run, signal) => {
      if (!(await openLinks(source.reads(run.projectId)).keepsBodies(run.runId))) return null
      const inlinks = await knownPages(source.reads, run, signal)
      await countInlinks(source, run, inlinks, { signal })
      return new Map(inlinks.counts())
    },
    { max: maxCached },
  )
