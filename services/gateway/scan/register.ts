/** Registers the endpoints that read sites without a crawl: pages, addresses, and rules for AI bots. */
import type { Bus } from '@tidemark/bus/connection'
import type { OfProject } from '@tidemark/db/of-project'
import type { App } from '../app.ts'
import type { Metering } from '../metering/adapters/metering.ts'
import { openContents } from '../reading/adapters/contents.ts'
import { mapsBy } from '../reading/adapters/maps.ts'
import { openModels } from '../reading/adapters/models.ts'
import { recentPageOf } from '../reading/adapters/recent-pages.ts'
import type { ProxyPrices } from '../reading/domain/proxy-prices.ts'
import type { SeedPorts } from '../reading/judge-seed.ts'
import { robotsPoliciesBy } from './adapters/robots-policies.ts'
import { mapRoutes } from './map.ts'
import { robotsPolicyRoutes } from './robots-policy.ts'
import { scanRoutes } from './scan.ts'
import { bulkScanRoutes } from './scan-bulk.ts'

type Needs = {
  bus: Bus
  reads: OfProject
  sites: SeedPorts
  metering: Metering
  proxyPrices: ProxyPrices
  now: () => number
}

export function registerScan(app: App, { bus, reads, sites, metering, proxyPrices, now }: Needs): void {
  const scanning = {
    ...sites,
    contents: openContents(bus),
    findRecent: recentPageOf(reads),
    metering,
    models: openModels(bus),
    proxyPrices,
    now,
  }
  scanRoutes(app, scanning)
  bulkScanRoutes(app, scanning)
  mapRoutes(app, { ...sites, mapSite: mapsBy(bus) })
  robotsPolicyRoutes(app, { ...sites, robotsPolicy: robotsPoliciesBy(bus) })
}
