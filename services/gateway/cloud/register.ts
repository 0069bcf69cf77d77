/** Registers the routes under `/v1/cloud`, and `/v1/health/cloud`. */
import type { Bus } from '@tidemark/bus/connection'
import type { App } from '../app.ts'
import { slotHook } from '../http/responses/slot-hook.ts'
import { openCloud } from '../live-pages/adapters/cloud.ts'
import { openContents } from '../live-pages/adapters/contents.ts'
import type { SeedPorts } from '../live-pages/judge-seed.ts'
import { openUsage } from '../metering/adapters/usage.ts'
import { cloudCrawlRoutes } from './crawl.ts'
import { scraperRoutes } from './fetch.ts'
import { cloudLinkRoutes } from './links.ts'
import type { CloudPorts } from './ports.ts'
import { proxyFetchRoutes } from './proxy-fetch.ts'
import { renderRoutes } from './render.ts'
import { scrapeRoutes } from './scrape.ts'
import { cloudSearchRoutes } from './search.ts'
import { cloudStateRoutes } from './state.ts'
import { transformRoutes } from './transform.ts'

type Needs = Pick<CloudPorts, 'metering' | 'proxyPrices' | 'cloudCrawlMs' | 'now'> & {
  bus: Bus
  sites: SeedPorts
}

export function registerCloud(app: App, { bus, sites, ...needs }: Needs): void {
  const { readCurrentUsage } = openUsage(bus)
  const ports = { ...sites, ...needs, readCurrentUsage, cloud: openCloud(bus), contents: openContents(bus) }
  const acquireSlot = slotHook('cloud_requests', 'crawls, searches and documents')
  scrapeRoutes(app, ports)
  renderRoutes(app, ports)
  cloudLinkRoutes(app, ports)
  proxyFetchRoutes(app, ports)
  cloudCrawlRoutes(app, ports, acquireSlot)
  cloudSearchRoutes(app, ports, acquireSlot)
  transformRoutes(app, ports, acquireSlot)
  scraperRoutes(app, ports)
  cloudStateRoutes(app, ports)
}
