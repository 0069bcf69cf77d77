/** Links between the pages of a run, and its orphans. */
import type { OfProject } from '@tidemark/db/of-project'
import type { App } from '../app.ts'
import { openLinkReads } from './adapters/link-reads.ts'
import { openOrphanReads } from './adapters/orphan-reads.ts'
import { type LinkPorts, linkRoutes } from './links.ts'

type Needs = { reads: OfProject } & Pick<LinkPorts, 'hasRun' | 'findRun'>

export function registerLinks(app: App, { reads, hasRun, findRun }: Needs): void {
  linkRoutes(app, { links: openLinkReads(reads), orphans: openOrphanReads(reads), hasRun, findRun })
}
