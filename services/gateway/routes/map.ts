/** `POST /v1/map`: a site's addresses within seconds, from what it says of itself. */
import { MapAnswer, MapRequest } from '@tidemark/contracts/http/map'
import type { ReadMap } from '../adapters/maps.ts'
import type { App } from '../app.ts'
import { judgeSeed, type SeedPorts } from './judge-seed.ts'

export type MapPorts = SeedPorts & { mapSite: ReadMap }

export function mapRoutes(app: App, ports: MapPorts): void {
  app.post(
    '/v1/map',
    {
      schema: {
        operationId: 'mapSite',
        summary: "List a site's addresses from its sitemaps and its home page, without a crawl",
        tags: ['Maps'],
        description: 'Asks the site at most 60 times. Nothing is billed.',
        body: MapRequest,
        response: { 200: MapAnswer },
      },
    },
    async ({ body, warnings: ignored }) => {
      const { url, limit, search = null, subdomains, include_sitemaps, respect_robots } = body
      await judgeSeed(ports, url)
      const more = { sitemaps: include_sitemaps, respectRobots: respect_robots }
      const map = await ports.mapSite({ url: new URL(url).href, limit, search, subdomains, ...more })
      const warnings = [...ignored, ...(map.warnings ?? [])]
      return warnings.length > 0 ? { ...map, warnings } : map
    },
  )
}
