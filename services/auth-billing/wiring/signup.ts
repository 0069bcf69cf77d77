/** Signing up and paying, wired: what answers for them, and what goes on by itself. */
import { answer } from '@tidemark/bus/ask'
import { atMost } from '@tidemark/bus/at-most'
import { jsonParser } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { currentTraceparent } from '@tidemark/bus/trace'
import {
  PayMockCheckout,
  ReadBilling,
  ReadCheckout,
  ReadMockCheckout,
  SignUp,
  TakePayment,
} from '@tidemark/contracts/ask/signup'
import { asks } from '@tidemark/contracts/subjects'
import type { Database } from '@tidemark/db/database'
import type { Sealer } from '@tidemark/secrets/seal'
import type { Logger } from '@tidemark/telemetry/log'
import type { Static, TSchema } from 'typebox'
import { openAttempts } from '../adapters/attempts.ts'
import { billingOf } from '../adapters/billing.ts'
import { challengeBy } from '../adapters/challenge.ts'
import { openFulfilment } from '../adapters/fulfilment.ts'
import { openIntents } from '../adapters/intents.ts'
import { mockPayments } from '../adapters/mock-payments.ts'
import type { Payments } from '../adapters/payments.ts'
import { openSignups } from '../adapters/signups.ts'
import { stripePayments } from '../adapters/stripe-payments.ts'
import { readCheckout } from '../handlers/checkout.ts'
import { payMockCheckout, readMockCheckout } from '../handlers/mock-checkout.ts'
import { readBilling } from '../handlers/read-billing.ts'
import { signUp } from '../handlers/sign-up.ts'
import { takePayment } from '../handlers/take-payment.ts'
import { expireIntents } from '../policies/expire-intents.ts'
import type { Settings } from '../settings.ts'
import { mailsLeave } from '../settings-mail.ts'
import { isRealKey, pricesOf } from '../settings-payments.ts'
import { turnsOf } from '../turns/turns.ts'

/** At once: the last of them waits for some seconds. */
const mostSignups = 2_000
/** At once, and no provider tells of so many. */
const mostPayments = 64
const retryAfterSeconds = 10

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

/** Answers and works from this call on; settles after the signal has aborted and nothing is under way any more. */
export function serveSignups({ name, settings, bus, db, sealer, publish, log, ...serving }: Wiring) {
  const { seal, fingerprint } = sealer
  const payments = paymentsOf(settings, log)
  const attempts = openAttempts(db, {
    perAddress: settings.SIGNUPS_PER_ADDRESS,
    perDay: settings.SIGNUPS_PER_DAY,
  })
  const intents = openIntents(db)
  const mails = mailsLeave(settings)
  const common = { payments, intents, fingerprint, mails, publish, trace: currentTraceparent, now: Date.now }
  const paying = {
    ...common,
    log,
    webhookSecret: settings.STRIPE_WEBHOOK_SECRET || fingerprint('signatures of mock payments'),
    fulfil: openFulfilment(db, seal),
  }
  const signingUp = {
    ...common,
    ...serving,
    isOpen: settings.SIGNUP === 'on',
    intentHours: settings.INTENT_HOURS,
    attempts,
    passesChallenge: challengeBy({ secret: settings.TURNSTILE_SECRET, url: settings.TURNSTILE_URL }),
    signups: openSignups(signingUpInTurn(db), attempts, seal),
  }
  const on = <Q extends TSchema, A>(subject: string, question: Q, handler: (question: Static<Q>) => A) =>
    answer(bus, subject, name, async (asked: Static<Q>) => handler(asked), {
      parse: jsonParser(question),
      ...serving,
    })
  return Promise.all([
    on(asks.signUp, SignUp, atMost(mostSignups, signUp(signingUp), retryAfterSeconds)),
    on(asks.readCheckout, ReadCheckout, readCheckout(signingUp)),
    on(asks.takePayment, TakePayment, atMost(mostPayments, takePayment(paying), retryAfterSeconds)),
    on(asks.readBilling, ReadBilling, readBilling(billingOf(db, payments.mode))),
    on(asks.readMockCheckout, ReadMockCheckout, readMockCheckout(paying)),
    on(asks.payMockCheckout, PayMockCheckout, payMockCheckout(paying)),
    expireIntents({ bus, intents, attempts, publish, now: Date.now, ...serving }),
  ])
}

/** They too hold one connection, however many they are. */
function signingUpInTurn(db: Database): Database {
  const inTurn = turnsOf<'signup'>()
  return { ...db, transaction: fn => inTurn('signup', () => db.transaction(fn)) }
}

function paymentsOf(settings: Settings, log: Wiring['log']): Payments {
  const { STRIPE_KEY: key, STRIPE_URL: url } = settings
  if (isRealKey(key)) return stripePayments({ key, url, prices: pricesOf(settings) })
  const says = 'payments are a mock: no money moves, and every tier is had without paying'
  if (key === '') log.info(says)
  else log.warn(`STRIPE_KEY is a placeholder; ${says}`)
  return mockPayments
}
