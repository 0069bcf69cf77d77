/**
 * Counts the inlinks of the pages of a run: adds all its pages first, then the URLs that redirected to them, then every
 * link of every page.
 */
import type { OfProject } from '@tidemark/db/of-project'
import { urlKey } from '@tidemark/url/key'
import { Inlinks } from '../domain/inlinks.ts'
import { crawledPages, type OfRun } from './crawled-pages.ts'
import { redirectsOf } from './redirect-reads.ts'
import { type LinkSource, scanLinks } from './scan-links.ts'

const keysAtOnce = 5_000
/** Maximum number of consecutive redirects to follow; no run follows more. */
const maxHops = 20

/** Returns a counter with all pages of the run and no links yet. Rejects with the reason of the signal when it aborts. */
export async function knownPages(reads: OfProject, run: OfRun, signal: AbortSignal): Promise<Inlinks> {
  const inlinks = new Inlinks()
  for await (const pages of crawledPages(reads, run, keysAtOnce)) {
    signal.throwIfAborted()
    for (const { id, urlKey: key, requestedUrl } of pages) {
      inlinks.add(id, key)
      if (requestedUrl !== null) inlinks.alias(urlKey(requestedUrl), key)
    }
  }
  await addRedirects(reads, run, inlinks, signal)
  return inlinks
}

/**
 * Adds the URLs that redirected to a page, directly or by further redirects. A URL redirects usually before its target
 * does, so one pass from the latest to the first finds most. Each pass follows at least one more hop, and memory holds
 * only URLs that lead to a page.
 */
async function addRedirects(reads: OfProject, run: OfRun, inlinks: Inlinks, signal: AbortSignal) {
  for (let hop = 0, hasMore = true; hop <= maxHops && hasMore; hop++) {
    let [isAnyAdded, isAnyLeft] = [false, false]
    for await (const { keys, targets } of redirectsOf(reads, run)) {
      signal.throwIfAborted()
      for (const [n, key] of keys.entries()) {
        if (inlinks.has(key)) continue
        if (inlinks.alias(key, targets[n] ?? '')) isAnyAdded = true
        else isAnyLeft = true
      }
    }
    hasMore = isAnyAdded && isAnyLeft
  }
}

type Counting = {
  signal: AbortSignal
  /** Whether no later page can matter. */
  isEnough?: () => boolean
}

/** Counts every link, or fewer if these are enough. Rejects with the reason of the signal when it aborts. */
export const countInlinks = (
  source: LinkSource,
  run: OfRun,
  inlinks: Inlinks,
  { signal, isEnough = () => false }: Counting,
): Promise<void> =>
  scanLinks(source, run, {
    signal,
    visit({ urlKey: from }, edges) {
      for (const { href } of edges) inlinks.link(from, urlKey(href))
      return !isEnough()
    },
  })
