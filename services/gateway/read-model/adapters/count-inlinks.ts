/**
 * Counts the inlinks of the pages of a run: adds all its pages first, then the URLs that redirected to them, then every
 * link of every page.
 */
import type { OfProject } from '@tidemark/db/of-project'
import { urlKey } from '@tidemark/url/key'
import { Inlinks } from '../domain/inlinks.ts'
import { crawledPages, type OfRun } from './crawled-pages.ts'
import { addRedirects } from './redirect-reads.ts'
import { type LinkSource, scanLinks } from './scan-links.ts'

const keysAtOnce = 5_000

/** Returns a counter with all pages of the run and no links yet. Rejects with the reason of the signal when it aborts. */
export async function knownPages(reads: OfProject, run: OfRun, signal: AbortSignal): Promise<Inlinks> {
  const inlinks = new Inlinks()
  for await (const pages of crawledPages(reads, run, keysAtOnce)) {
    signal.throwIfAborted()
    for (const { id, urlKey: key, requestedUrl } of pages) {
      inlinks.add(id, key)
      if (requestedUrl !== null) inlinks.pages.alias(urlKey(requestedUrl), key)
    }
  }
  await addRedirects(reads, run, inlinks.pages, signal)
  return inlinks
}

type Counting = {
  signal: AbortSignal
  /** Whether no later page can matter. */
  isEnough?: () => boolean
}

/**
 * Counts every link, or stops early when `isEnough` returns true. Rejects with the reason of the signal when it aborts.
 */
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
