/** Exports of crawls: requests, reads and deletions with a key, and downloads by a signed address without one. */
import type { Bus } from '@tidemark/bus/connection'
import type { OfProject } from '@tidemark/db/of-project'
import type { Sealer } from '@tidemark/secrets/seal'
import type { App } from '../app.ts'
import { openModels } from '../live-pages/adapters/models.ts'
import { openExports } from './adapters/exports.ts'
import { exportFileRoute } from './export-file.ts'
import { type ExportPorts, exportRoutes } from './exports.ts'
import { signedAddresses } from './signed-addresses.ts'

type Needs = {
  bus: Bus
  reads: OfProject
  secrets: Pick<Sealer, 'seal' | 'fingerprint' | 'sign' | 'isSigned'>
  /** Where clients reach this installation, without a slash at its end. */
  publicUrl: () => string
  sites: { judgeTarget: ExportPorts['judgeTarget'] }
  options: { idempotencyStrict: boolean; exportUrlSeconds: number }
  now: () => number
}

export function registerExports(app: App, needs: Needs & Pick<ExportPorts, 'findRun'>): void {
  const { bus, secrets, sites, options, findRun } = needs
  exportRoutes(app, {
    ...{ exports: openExports(bus), models: openModels(bus), findRun, judgeTarget: sites.judgeTarget },
    ...{ seal: secrets.seal, fingerprint: secrets.fingerprint },
    addressOf: addressesBy(needs).addressOf,
    idempotencyStrict: options.idempotencyStrict,
  })
}

/** To be called outside of the scope that requires a key. */
export function registerExportFiles(app: App, needs: Needs): void {
  const { judge } = addressesBy(needs)
  exportFileRoute(app, { exports: openExports(needs.bus), reads: needs.reads, judge })
}

const addressesBy = ({ secrets, publicUrl, options, now }: Needs) =>
  signedAddresses({ secrets, publicUrl, seconds: options.exportUrlSeconds, now })
