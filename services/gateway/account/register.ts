/** Registers the account of a project: signup and payment, keys, usage, and the log of its calls. */
import type { Bus } from '@tidemark/bus/connection'
import type { OfProject } from '@tidemark/db/of-project'
import type { App } from '../app.ts'
import { type Models, openModels } from '../live-pages/adapters/models.ts'
import { openUsage, type Usage } from '../metering/adapters/usage.ts'
import type { ReadModelClock } from '../read-model/adapters/projected.ts'
import { openLogReads, pageUrlsOf, type ReadLog } from './adapters/account-reads.ts'
import { type Billing, openBilling } from './adapters/billing.ts'
import { type KeyRing, openKeyRing } from './adapters/key-ring.ts'
import { billingRoutes, checkoutRoutes, paymentWebhookRoute } from './billing.ts'
import { checkoutPageRoutes } from './checkout-pages.ts'
import { type KeyPorts, keyRoutes } from './keys.ts'
import { type LogPorts, logRoutes, maxReadMs } from './logs.ts'
import { modelConsentRoutes } from './model-consent.ts'
import { signupRoutes } from './signup.ts'
import { usageRoutes } from './usage.ts'
import { type LedgerPorts, ledgerRoutes } from './usage-ledger.ts'

type Needs = {
  bus: Bus
  reads: OfProject
  clock: ReadModelClock
  /** Public URL of this installation, without a slash at its end. */
  publicUrl: () => string
  /** Whether this gateway listens on loopback only. */
  isLocal: () => boolean
  /** The header in which the payment provider signs. */
  signatureHeader: string
  untilLogged: LogPorts['untilLogged']
  latestKeyUse: KeyPorts['latestKeyUse']
  now: () => number
}

export type Account = {
  billing: Billing
  keyRing: KeyRing
  readLog: ReadLog
  pageUrls: LedgerPorts['pageUrls']
  usage: Usage
  models: Models
} & Pick<Needs, 'signatureHeader' | 'untilLogged' | 'latestKeyUse' | 'now'>

export const openAccount = ({ bus, reads, clock, publicUrl, isLocal, ...rest }: Needs): Account => ({
  billing: openBilling(bus, publicUrl, isLocal),
  keyRing: openKeyRing(bus, clock),
  readLog: openLogReads(reads, maxReadMs),
  pageUrls: pageUrlsOf(reads),
  usage: openUsage(bus),
  models: openModels(bus),
  ...rest,
})

/** Adds the routes for people without a key, and for the payment provider. */
export async function registerSignup(app: App, account: Account): Promise<void> {
  await app.register(async scope => signupRoutes(scope as App, account))
  checkoutRoutes(app, account)
  await app.register(async scope => paymentWebhookRoute(scope as App, account))
  await app.register(async scope => checkoutPageRoutes(scope as App, account))
}

/** Adds the routes for projects. */
export function registerAccount(app: App, account: Account): void {
  const { usage, pageUrls, now } = account
  usageRoutes(app, { ...usage, now })
  ledgerRoutes(app, { ...usage, pageUrls, now })
  keyRoutes(app, account)
  billingRoutes(app, account)
  modelConsentRoutes(app, account)
  logRoutes(app, account)
}
