/**
 * Reads the links of all pages of a run. Projects take turns batch by batch, so that the thread that serves all clients
 * computes for one scan at a time.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import type { FairLine } from '@tidemark/bus/fair-line'
import type { Edge } from '@tidemark/content/edges'
import { openLinks } from '@tidemark/content/links'
import type { OfProject } from '@tidemark/db/of-project'
import { type CrawledPage, crawledPages, type OfRun } from './crawled-pages.ts'

export type LinkSource = { reads: OfProject; line: FairLine }

type Visits = {
  signal?: AbortSignal
  /** Called for each page in order. Returns false if no later page can matter. */
  visit: (page: CrawledPage, edges: Edge[]) => boolean
}

type Scan = Visits & {
  /** Limits the scan to this page. */
  onlyId?: number | undefined
}

/** Maximum number of pages whose links are in memory at the same time. */
export const readAtOnce = 50
/** Maximum milliseconds without a pause, so that no other request waits. */
const pauseAfterMs = 10

/** Visits the pages in the order of their ids. Rejects with the reason of the signal when it aborts. */
export async function scanLinks(source: LinkSource, run: OfRun, { onlyId, ...visits }: Scan): Promise<void> {
  for await (const pages of crawledPages(source.reads, run, readAtOnce, onlyId)) {
    if (!(await visitLinks(source, run, pages, visits))) return
  }
}

/**
 * Visits at most `readAtOnce` pages when it is the turn of their project. Returns false if no later page can matter.
 * Rejects with the reason of the signal when it aborts.
 */
export const visitLinks = (
  { reads, line }: LinkSource,
  { projectId, runId }: OfRun,
  pages: readonly CrawledPage[],
  { signal, visit }: Visits,
): Promise<boolean> =>
  line.join(projectId, async () => {
    signal?.throwIfAborted()
    let since = performance.now()
    let n = 0
    for (const edges of await openLinks(reads(projectId)).read(runId, pages)) {
      if (!visit(pages[n++] as CrawledPage, edges)) return false
      if (performance.now() - since < pauseAfterMs) continue
      await breathe()
      signal?.throwIfAborted()
      since = performance.now()
    }
    return true
  })
