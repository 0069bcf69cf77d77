/** Links between the pages of a run, and its orphans. */
import type { App } from '../app.ts'
import type { LinkSource } from '../read-model/adapters/scan-links.ts'
import { openLinkReads } from './adapters/link-reads.ts'
import { openOrphanReads } from './adapters/orphan-reads.ts'
import { type LinkPorts, linkRoutes } from './links.ts'

type Needs = { linkSource: LinkSource } & Pick<LinkPorts, 'scanLinks' | 'hasRun' | 'findRun' | 'runsAsOf'>

export function registerLinks(app: App, { linkSource, ...ports }: Needs): void {
  linkRoutes(app, { ...ports, links: openLinkReads(linkSource), orphans: openOrphanReads(linkSource) })
}
