import { limited } from '@tidemark/bus/at-most'
import type { Bus } from '@tidemark/bus/connection'
import { refuse } from '@tidemark/bus/refusal'
import { serve } from '@tidemark/bus/rpc'
import { currentTraceparent } from '@tidemark/bus/trace'
import type { ReadBilling, ReadBillingResponse } from '@tidemark/contracts/rpc/signup'
import * as signupRpc from '@tidemark/contracts/rpc/signup'
import type { Database } from '@tidemark/db/database'
import { serialByKey } from '@tidemark/db/serial'
import type { Sealer } from '@tidemark/secrets/seal'
import type { Logger } from '@tidemark/telemetry/log'
import { openAttempts } from '../adapters/attempts.ts'
import { challengeBy } from '../adapters/challenge.ts'
import { openFulfilment } from '../adapters/fulfilment.ts'
import { openIntents } from '../adapters/intents.ts'
import { billingOf } from '../adapters/new-account.ts'
import { mockPayments, type Payments } from '../adapters/payments.ts'
import { openSignups } from '../adapters/signups.ts'
import { stripePayments } from '../adapters/stripe-payments.ts'
import { readCheckout } from '../handlers/checkout.ts'
import { payMockCheckout, readMockCheckout } from '../handlers/mock-checkout.ts'
import { signUp } from '../handlers/sign-up.ts'
import { takePayment } from '../handlers/take-payment.ts'
import { expireIntents } from '../policies/expire-intents.ts'
import type { Settings } from '../settings.ts'
import { mailsLeave } from '../settings-mail.ts'
import { isRealKey, pricesOf } from '../settings-payments.ts'

/** Maximum number of concurrent signups. The last of them waits for some seconds. */
const maxSignups = 2_000
/** Maximum number of concurrent payment events. No provider sends more. */
const maxPayments = 64
const retryAfterSeconds = 10

const unchallenged =
  'sign-up is open and has no challenge against bots: set TURNSTILE_SECRET, or SIGNUP=off if strangers can reach this installation'

type Wiring = {
  name: string
  settings: Settings
  bus: Bus
  db: Database
  sealer: Pick<Sealer, 'seal' | 'fingerprint'>
  publish: (outboxId: number) => void
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  signal: AbortSignal
  report: (error: unknown) => void
}

/** Serves signups from this call on. Settles after the signal has aborted and all work has ended. */
export function serveSignups({ name, settings, bus, db, sealer, publish, log, ...serving }: Wiring) {
  const { seal, fingerprint } = sealer
  const payments = paymentsOf(settings, log)
  const attempts = openAttempts(db, {
    perAddress: settings.SIGNUPS_PER_ADDRESS,
    perNetwork: settings.SIGNUPS_PER_NETWORK,
    perDay: settings.SIGNUPS_PER_DAY,
    checkoutsPerDay: settings.CHECKOUTS_PER_DAY,
  })
  const intents = openIntents(db)
  const mails = mailsLeave(settings)
  const isOpen = settings.SIGNUP === 'on'
  const mockCheckout = settings.MOCK_CHECKOUT
  if (isOpen && settings.TURNSTILE_SECRET === '') log.warn(unchallenged)
  const common = {
    payments,
    mockCheckout,
    intents,
    fingerprint,
    mails,
    publish,
    trace: currentTraceparent,
    now: Date.now,
  }
  const paying = {
    ...common,
    log,
    webhookSecret: settings.STRIPE_WEBHOOK_SECRET || fingerprint('signatures of mock payments'),
    fulfil: openFulfilment(db, seal),
  }
  const signingUp = {
    ...common,
    ...serving,
    isOpen,
    intentHours: settings.INTENT_HOURS,
    attempts,
    passesChallenge: challengeBy({ secret: settings.TURNSTILE_SECRET, url: settings.TURNSTILE_URL }),
    signups: openSignups(withOneConnection(db), attempts, seal),
  }
  return Promise.all([
    serve(bus, signupRpc.signUp, limited(maxSignups, signUp(signingUp), retryAfterSeconds), serving),
    serve(bus, signupRpc.readCheckout, readCheckout(signingUp), serving),
    serve(bus, signupRpc.takePayment, limited(maxPayments, takePayment(paying), retryAfterSeconds), serving),
    serve(bus, signupRpc.readBilling, readBilling(billingOf(db, payments.mode)), serving),
    serve(bus, signupRpc.readMockCheckout, readMockCheckout(paying), serving),
    serve(bus, signupRpc.payMockCheckout, payMockCheckout(paying), serving),
    expireIntents({ bus, intents, attempts, publish, now: Date.now, ...serving }),
  ])
}

/** Returns a database whose transactions share one connection, like the attempts. */
function withOneConnection(db: Database): Database {
  const serially = serialByKey<'signup'>()
  return { ...db, transaction: fn => serially('signup', () => db.transaction(fn)) }
}

function paymentsOf(settings: Settings, log: Wiring['log']): Payments {
  const { STRIPE_KEY: key, STRIPE_URL: url, MOCK_CHECKOUT: where } = settings
  if (isRealKey(key)) return stripePayments({ key, url, prices: pricesOf(settings) })
  const text = `payments are a mock: no money moves, and every tier is available without payment ${reached[where]}`
  if (key === '' && where === 'loopback') log.info(text)
  else log.warn(key === '' ? text : `STRIPE_KEY is a placeholder; ${text}`)
  return mockPayments
}

const reached: Record<Settings['MOCK_CHECKOUT'], string> = {
  loopback: 'through gateways that listen on loopback',
  everywhere: 'by anyone who reaches a gateway (MOCK_CHECKOUT=everywhere)',
}

/** Returns the billing data of a project. Rejects with `not_found`. */
const readBilling =
  (find: (projectId: number) => Promise<ReadBillingResponse | null>) =>
  async ({ projectId }: ReadBilling): Promise<ReadBillingResponse> => {
    const billing = await find(projectId)
    if (billing === null) throw refuse('not_found')
    return billing
  }
