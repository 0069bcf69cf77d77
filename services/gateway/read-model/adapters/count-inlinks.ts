/** Feeds a count of inlinks with a run: its pages first, then every link of every page. */
import { setImmediate as breathe } from 'node:timers/promises'
import { openLinks } from '@tidemark/content/links'
import type { OfProject } from '@tidemark/db/of-project'
import { urlKey } from '@tidemark/url/key'
import { Inlinks } from '../domain/inlinks.ts'
import { crawledPages, type OfRun } from './crawled-pages.ts'

const keysAtOnce = 5_000
const readAtOnce = 50
/** Maximum time without a pause, so that no other request waits. */
const pauseAfterMs = 10

/** All pages of the run, before any link. Rejects with the reason of the signal when it aborts. */
export async function knownPages(reads: OfProject, run: OfRun, signal: AbortSignal): Promise<Inlinks> {
  const inlinks = new Inlinks()
  for await (const pages of crawledPages(reads, run, keysAtOnce)) {
    signal.throwIfAborted()
    for (const { id, urlKey: key, requestedUrl } of pages) {
      inlinks.add(id, key)
      if (requestedUrl !== null) inlinks.alias(urlKey(requestedUrl), key)
    }
  }
  return inlinks
}

type Counting = {
  signal: AbortSignal
  /** Whether no later page can matter. */
  isEnough?: () => boolean
}

/** Counts every link, or fewer if these are enough. Rejects with the reason of the signal when it aborts. */
export async function countInlinks(
  reads: OfProject,
  run: OfRun,
  inlinks: Inlinks,
  { signal, isEnough = () => false }: Counting,
): Promise<void> {
  const links = openLinks(reads(run.projectId))
  let since = performance.now()
  for await (const pages of crawledPages(reads, run, readAtOnce)) {
    signal.throwIfAborted()
    let n = 0
    for (const edges of await links.read(run.runId, pages)) {
      const from = pages[n++]?.urlKey ?? null
      for (const { href } of edges) inlinks.link(from, urlKey(href))
      if (isEnough()) return
      if (performance.now() - since < pauseAfterMs) continue
      await breathe()
      since = performance.now()
    }
  }
}
