/** The adapters that the cloud endpoints need. */
import type { Cloud } from '../live-pages/adapters/cloud.ts'
import type { Contents } from '../live-pages/adapters/contents.ts'
import type { ProxyPrices } from '../live-pages/domain/proxy-prices.ts'
import type { SeedPorts } from '../live-pages/judge-seed.ts'
import type { Metering } from '../metering/adapters/metering.ts'
import type { Usage } from '../metering/adapters/usage.ts'

export type CloudPorts = SeedPorts &
  Pick<Usage, 'readCurrentUsage'> & {
    cloud: Cloud
    contents: Pick<Contents, 'drop'>
    metering: Metering
    proxyPrices: ProxyPrices
    /** Maximum duration of a crawl within one request, in milliseconds. */
    cloudCrawlMs: number
    now: () => number
  }
