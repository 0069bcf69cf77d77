/** Registers the endpoints that read sites without a crawl: pages, addresses, and rules for AI bots. */
import type { Bus } from '@tidemark/bus/connection'
import { serve } from '@tidemark/bus/rpc'
import * as batchesRpc from '@tidemark/contracts/rpc/batches'
import type { OfProject } from '@tidemark/db/of-project'
import type { Sealer } from '@tidemark/secrets/seal'
import type { App } from '../app.ts'
import { slotHook } from '../http/responses/slot-hook.ts'
import { openContents } from '../live-pages/adapters/contents.ts'
import { mapsBy } from '../live-pages/adapters/maps.ts'
import { openModels } from '../live-pages/adapters/models.ts'
import { recentPageOf } from '../live-pages/adapters/recent-pages.ts'
import type { ProxyPrices } from '../live-pages/domain/proxy-prices.ts'
import type { SeedPorts } from '../live-pages/judge-seed.ts'
import { currentTermsBy } from '../metering/adapters/current-terms.ts'
import type { Metering } from '../metering/adapters/metering.ts'
import { openBatches } from './adapters/batches.ts'
import { robotsPoliciesBy } from './adapters/robots-policies.ts'
import { batchPage } from './batch-page.ts'
import { batchRoutes } from './batches.ts'
import { deleteScansRoute } from './delete-scans.ts'
import { mapRoutes } from './map.ts'
import { robotsPolicyRoutes } from './robots-policy.ts'
import { type ScanPorts, scanRoutes } from './scan.ts'
import { bulkScanRoutes } from './scan-bulk.ts'

type Needs = {
  bus: Bus
  reads: OfProject
  sites: SeedPorts
  metering: Metering
  proxyPrices: ProxyPrices
  secrets: Pick<Sealer, 'fingerprint'>
  idempotencyStrict: boolean
  report: (error: unknown) => void
  now: () => number
}

export function registerScan(app: App, needs: Needs): void {
  const { bus, reads, sites, metering, proxyPrices, now } = needs
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
  bulkScanRoutes(app, scanning, slotHook('concurrent_requests', 'bulk scans'))
  deleteScansRoute(app, scanning)
  registerBatches(app, needs, scanning)
  mapRoutes(app, { ...sites, mapSite: mapsBy(bus) })
  robotsPolicyRoutes(app, { ...sites, robotsPolicy: robotsPoliciesBy(bus) })
}

function registerBatches(app: App, needs: Needs, scanning: ScanPorts): void {
  const { bus, reads, sites, metering, secrets, idempotencyStrict, report } = needs
  const { judgeTarget } = sites
  const { fingerprint } = secrets
  const batches = openBatches(bus, reads)
  batchRoutes(app, { batches, metering, judgeTarget, fingerprint, idempotencyStrict })
  const stop = new AbortController()
  let serving: Promise<void> | undefined
  // A server that only describes itself has no bus.
  app.addHook('onListen', async () => {
    const read = batchPage({ ...scanning, currentTerms: currentTermsBy(bus) })
    serving = serve(bus, batchesRpc.readBatchPage, read, { signal: stop.signal, report })
  })
  app.addHook('onClose', () => {
    stop.abort()
    return serving
  })
}
