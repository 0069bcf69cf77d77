/** Everything under `/v1/cloud`, and `/v1/health/cloud`. */
import type { App } from '../../app.ts'
import { seatsFor } from '../seats.ts'
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

export function cloudRoutes(app: App, ports: CloudPorts): void {
  const takeSeat = seatsFor('cloud_requests', 'crawls, searches and documents')
  scrapeRoutes(app, ports)
  renderRoutes(app, ports)
  cloudLinkRoutes(app, ports)
  proxyFetchRoutes(app, ports)
  cloudCrawlRoutes(app, ports, takeSeat)
  cloudSearchRoutes(app, ports, takeSeat)
  transformRoutes(app, ports, takeSeat)
  scraperRoutes(app, ports)
  cloudStateRoutes(app, ports)
}
