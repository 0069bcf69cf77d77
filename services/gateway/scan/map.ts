/** `POST /v1/map`: lists a site's addresses within seconds, from its sitemaps and its home page. */

import { MapAnswer, MapRequest } from '@tidemark/contracts/http/map'
import { priceText } from '@tidemark/contracts/prices'
import type { App } from '../app.ts'
import type { ReadMap } from '../live-pages/adapters/maps.ts'
import { judgeSeed, type SeedPorts } from '../live-pages/judge-seed.ts'

export type MapPorts = SeedPorts & { mapSite: ReadMap }

export function mapRoutes(app: App, ports: MapPorts): void {
  app.post(
    '/v1/map',
    {
      schema: {
        operationId: 'mapSite',
        summary: 'List the URLs of a site without a crawl',
        tags: ['Maps'],
        description: `Reads the sitemaps and the home page. Sends at most 60 requests to the site. ${priceText('map')}`,
        body: MapRequest,
        response: { 200: MapAnswer },
      },
    },
    async ({ body, caller: { projectId } }) => {
      const { url, limit, search = null, subdomains, include_sitemaps, respect_robots } = body
      await judgeSeed(ports, url)
      const more = { sitemaps: include_sitemaps, respectRobots: respect_robots }
      return ports.mapSite({ projectId, url: new URL(url).href, limit, search, subdomains, ...more })
    },
  )
}
