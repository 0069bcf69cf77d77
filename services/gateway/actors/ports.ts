/** The ports of the actors. */

import type { Report } from '../http/plugins/problem.ts'
import type { Cloud } from '../live-pages/adapters/cloud.ts'
import type { Contents } from '../live-pages/adapters/contents.ts'
import type { ProxyPrices } from '../live-pages/domain/proxy-prices.ts'
import type { SeedPorts } from '../live-pages/judge-seed.ts'
import type { Metering } from '../metering/adapters/metering.ts'
import type { OfRun } from '../read-model/adapters/crawled-pages.ts'
import type { Actors } from './adapters/actors.ts'
import type { BlockedAs } from './check-links/domain/link-items.ts'
import type { GraphPages } from './link-graph/adapters/graph-pages.ts'
import type { SiteReads } from './site-audit/adapters/site-reads.ts'
import type { UrlTexts } from './site-audit/adapters/url-texts.ts'
import type { Sitemaps } from './sitemap-audit/adapters/sitemaps.ts'

export type ActorPorts = SeedPorts & {
  actors: Actors
  sitemaps: Sitemaps
  contents: Pick<Contents, 'drop'>
  graphPages: GraphPages
  siteReads: SiteReads
  urlTexts: UrlTexts
  /** Returns whether the run keeps the bodies, from which links are read. */
  keepsLinks: (run: OfRun) => Promise<boolean>
  report: Report
  hasRun: (projectId: number, runId: number) => Promise<boolean>
  metering: Metering
  cloud: Pick<Cloud, 'getPage' | 'state'>
  proxyPrices: ProxyPrices
  /** Limits of probes: the delay between two requests to a host in milliseconds, and the concurrency per host. */
  probes: { delayMs: number; perHost: number; blockedAs: BlockedAs }
}
