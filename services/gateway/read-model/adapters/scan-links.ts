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

export type LinkSource = { reads: OfProject; turns: FairLine }

type Scan = {
  signal: AbortSignal
  /** Limits the scan to this page. */
  onlyId?: number | undefined
  /** Called for each page in the order of ids. Returns false if no later page can matter. */
  visit: (page: CrawledPage, edges: Edge[]) => boolean
}

const readAtOnce = 50
/** Maximum time without a pause, so that no other request waits. */
const pauseAfterMs = 10

/** Rejects with the reason of the signal when it aborts. */
export async function scanLinks({ reads, turns }: LinkSource, run: OfRun, scan: Scan): Promise<void> {
  const { signal, onlyId, visit } = scan
  const links = openLinks(reads(run.projectId))
  for await (const pages of crawledPages(reads, run, readAtOnce, onlyId)) {
    if (!(await turns.join(run.projectId, () => visitAll(pages)))) return
  }

  async function visitAll(pages: CrawledPage[]): Promise<boolean> {
    signal.throwIfAborted()
    let since = performance.now()
    let n = 0
    for (const edges of await links.read(run.runId, pages)) {
      if (!visit(pages[n++] as CrawledPage, edges)) return false
      if (performance.now() - since < pauseAfterMs) continue
      await breathe()
      signal.throwIfAborted()
      since = performance.now()
    }
    return true
  }
}
