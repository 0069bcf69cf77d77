/** What the cloud endpoints need of the outside. */
import type { Cloud } from '../../adapters/cloud.ts'
import type { Contents } from '../../adapters/contents.ts'
import type { Metering } from '../../adapters/metering.ts'
import type { Usage } from '../../adapters/usage.ts'
import type { ProxyPrices } from '../../domain/cloud/proxy-prices.ts'
import type { SeedPorts } from '../judge-seed.ts'

export type CloudPorts = SeedPorts &
  Pick<Usage, 'readUsage'> & {
    cloud: Cloud
    contents: Pick<Contents, 'drop'>
    metering: Metering
    proxyPrices: ProxyPrices
    /** Milliseconds that a crawl may take that a client waits for. */
    cloudCrawlMs: number
    now: () => number
  }
