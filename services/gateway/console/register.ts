/** Registers the web console: its files, its sign-in, its way to the API, and shares of crawls. */
import type { Bus } from '@tidemark/bus/connection'
import type { App } from '../app.ts'
import { openBuiltFiles } from './adapters/built-files.ts'
import { endSharesBy } from './adapters/ended-shares.ts'
import { fileRoutes } from './files.ts'
import { openShareRoute } from './open-share.ts'
import { installRelay } from './relay.ts'
import { type SessionPorts, sessionRoutes } from './session.ts'
import { type SharePorts, shareCrawlRoutes } from './share-crawl.ts'
import { limitSharedReads, type SharedReadPorts } from './shared-reads.ts'

/** Call it before the routes that require a key. */
export function registerConsole(app: App, ports: SessionPorts): void {
  installRelay(app, ports)
  fileRoutes(app, openBuiltFiles())
  sessionRoutes(app, ports)
  openShareRoute(app, ports)
}

/** Registers shares of crawls. Call it in the scope that requires a key. */
export function registerShares(
  app: App,
  { bus, ...ports }: Omit<SharePorts, 'endShares'> & SharedReadPorts & { bus: Bus },
): void {
  limitSharedReads(app, ports)
  shareCrawlRoutes(app, { ...ports, endShares: endSharesBy(bus) })
}
