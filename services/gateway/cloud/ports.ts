/** The adapters that the cloud endpoints need. */

import type { Metering } from '../metering/adapters/metering.ts'
import type { Usage } from '../metering/adapters/usage.ts'
import type { Cloud } from '../reading/adapters/cloud.ts'
import type { Contents } from '../reading/adapters/contents.ts'
import type { ProxyPrices } from '../reading/domain/proxy-prices.ts'
import type { SeedPorts } from '../reading/judge-seed.ts'

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
