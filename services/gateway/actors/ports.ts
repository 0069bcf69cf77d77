/** What the actors need of the outside. */

import type { Report } from '../http/plugins/problem.ts'
import type { Metering } from '../metering/adapters/metering.ts'
import type { OfRun } from '../read-model/adapters/crawled-pages.ts'
import type { Cloud } from '../reading/adapters/cloud.ts'
import type { Contents } from '../reading/adapters/contents.ts'
import type { ProxyPrices } from '../reading/domain/proxy-prices.ts'
import type { SeedPorts } from '../reading/judge-seed.ts'
import type { Actors } from './adapters/actors.ts'
import type { BlockedAs } from './check-links/domain/link-items.ts'
import type { GraphPages } from './link-graph/adapters/graph-pages.ts'
import type { Sitemaps } from './sitemap-audit/adapters/sitemaps.ts'

export type ActorPorts = SeedPorts & {
  actors: Actors
  sitemaps: Sitemaps
  contents: Pick<Contents, 'drop'>
  graphPages: GraphPages
  /** Whether the run keeps what links are read from. */
  keepsLinks: (run: OfRun) => Promise<boolean>
  report: Report
  hasRun: (projectId: number, runId: number) => Promise<boolean>
  metering: Metering
  cloud: Pick<Cloud, 'getPage' | 'state'>
  proxyPrices: ProxyPrices
  /** How many addresses are asked whether they are there: milliseconds between two of a host, and how many there at once. */
  probes: { delayMs: number; perHost: number; blockedAs: BlockedAs }
}
