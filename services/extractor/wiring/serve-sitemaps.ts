/** Part of the wiring: RPCs of the sitemap audit. */
import { inShares } from '@tidemark/bus/at-most'
import { serve } from '@tidemark/bus/rpc'
import * as sitemapsRpc from '@tidemark/contracts/rpc/sitemaps'
import { listSitemaps } from '../handlers/actors/list-sitemaps.ts'
import { probePage } from '../handlers/actors/probe-page.ts'
import { readListedSitemap } from '../handlers/actors/read-listed-sitemap.ts'
import type { ExtractorParts } from './parts.ts'

type Parts = Pick<ExtractorParts, 'bus' | 'fetchPage' | 'readSiteFile' | 'signal' | 'report'>

const listsAtOnce = 64
/** Maximum concurrent requests for sitemaps. Most of them wait. */
const sitemapsAtOnce = 32
/** Maximum concurrent probes. Each holds the beginning of a page, and most of them wait for it. */
const probesAtOnce = 512

/** Resolves when the signal has aborted and all pending requests are answered. */
export async function serveSitemaps({ bus, signal, report, ...parts }: Parts): Promise<void> {
  const serving = { signal, report }
  const list = inShares(listsAtOnce, listSitemaps(parts))
  const read = inShares(sitemapsAtOnce, readListedSitemap({ ...parts, now: Date.now }))
  const probe = inShares(probesAtOnce, probePage({ ...parts, now: Date.now }))
  await Promise.all([
    serve(bus, sitemapsRpc.listSitemaps, list, serving),
    serve(bus, sitemapsRpc.readSitemap, read, serving),
    serve(bus, sitemapsRpc.probePage, probe, serving),
  ])
}
