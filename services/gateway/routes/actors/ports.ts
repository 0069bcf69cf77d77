/** What the actors need of the outside. */
import type { Actors } from '../../adapters/actors.ts'
import type { Cloud } from '../../adapters/cloud.ts'
import type { Contents } from '../../adapters/contents.ts'
import type { GraphPages } from '../../adapters/graph-pages.ts'
import type { LinkReads } from '../../adapters/link-reads.ts'
import type { Metering } from '../../adapters/metering.ts'
import type { Sitemaps } from '../../adapters/sitemaps.ts'
import type { BlockedAs } from '../../domain/actors/link-items.ts'
import type { ProxyPrices } from '../../domain/cloud/proxy-prices.ts'
import type { SeedPorts } from '../judge-seed.ts'

export type ActorPorts = SeedPorts & {
  actors: Actors
  sitemaps: Sitemaps
  contents: Pick<Contents, 'drop'>
  graphPages: GraphPages
  links: Pick<LinkReads, 'keepsBodies'>
  hasRun: (projectId: number, runId: number) => Promise<boolean>
  metering: Metering
  cloud: Pick<Cloud, 'getPage' | 'state'>
  proxyPrices: ProxyPrices
  /** How many addresses are asked whether they are there: milliseconds between two of a host, and how many there at once. */
  probes: { delayMs: number; perHost: number; blockedAs: BlockedAs }
}
