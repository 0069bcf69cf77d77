/** What the cloud endpoints need of the outside. */
import type { ReadUsageAnswer } from '@tidemark/contracts/ask/usage'
import type { Cloud } from '../../adapters/cloud.ts'
import type { Contents } from '../../adapters/contents.ts'
import type { Metering } from '../../adapters/metering.ts'
import type { ProxyPrices } from '../../domain/cloud/proxy-prices.ts'
import type { SeedPorts } from '../judge-seed.ts'

export type CloudPorts = SeedPorts & {
  cloud: Cloud
  contents: Pick<Contents, 'drop'>
  metering: Metering
  proxyPrices: ProxyPrices
  /** Milliseconds that a crawl may take that a client waits for. */
  cloudCrawlMs: number
  /** @param since milliseconds since 1970: cloud pages from then on are counted besides */
  readUsage: (projectId: number, day: string, since?: number) => Promise<ReadUsageAnswer>
  now: () => number
}
