/** Registers the actors. Each answers one question about a page, a list of links, or a run. */
import type { Bus } from '@tidemark/bus/connection'
import { openLinks } from '@tidemark/content/links'
import type { OfProject } from '@tidemark/db/of-project'
import type { App } from '../app.ts'
import { openCloud } from '../live-pages/adapters/cloud.ts'
import { openContents } from '../live-pages/adapters/contents.ts'
import type { SeedPorts } from '../live-pages/judge-seed.ts'
import { actorRoutes } from './actor-routes.ts'
import { actorsOf } from './actor-table.ts'
import { openActors } from './adapters/actors.ts'
import { openGraphPages } from './link-graph/adapters/graph-pages.ts'
import type { ActorPorts } from './ports.ts'
import { openSiteReads } from './site-audit/adapters/site-reads.ts'
import { openUrlTexts } from './site-audit/adapters/url-texts.ts'
import { openSitemaps } from './sitemap-audit/adapters/sitemaps.ts'

type Needs = Pick<ActorPorts, 'metering' | 'proxyPrices' | 'probes' | 'hasRun' | 'report'> & {
  bus: Bus
  reads: OfProject
  sites: SeedPorts
}

export function registerActors(app: App, { bus, reads, sites, ...needs }: Needs): void {
  const ports: ActorPorts = {
    ...sites,
    ...needs,
    actors: openActors(bus),
    sitemaps: openSitemaps(bus),
    contents: openContents(bus),
    graphPages: openGraphPages(reads),
    siteReads: openSiteReads(reads),
    urlTexts: openUrlTexts(reads),
    keepsLinks: ({ projectId, runId }) => openLinks(reads(projectId)).keepsBodies(runId),
    cloud: openCloud(bus),
  }
  actorRoutes(app, ports, actorsOf(ports))
}
