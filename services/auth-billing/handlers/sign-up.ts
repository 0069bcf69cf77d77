/**
 * Signs up a new customer: a free project is created at once with its key, any other tier becomes an intent with a
 * checkout. adapters/attempts.ts defines attempts and successes.
 */
import { randomInt } from 'node:crypto'
import { type Refusal, refuse } from '@tidemark/bus/refusal'
import { networkOf, wideNetworkOf } from '@tidemark/contracts/client-network'
import type { MockCheckout, SignUp, SignUpResponse } from '@tidemark/contracts/rpc/signup'
import type { Attempts, Limited } from '../adapters/attempts.ts'
import type { PassesChallenge } from '../adapters/challenge.ts'
import type { Signups } from '../adapters/signups.ts'
import { newAccount } from '../domain/new-account.ts'
import { type CheckoutPorts, checkoutOf, refuseOpenMock } from './checkout.ts'

export type Ports = CheckoutPorts & {
  isOpen: boolean
  intentHours: number
  attempts: Pick<Attempts, 'begin'>
  passesChallenge: PassesChallenge
  signups: Signups
  /** The transport of mails. `email_sent` of the response is true only with a mail server. */
  mails: MockCheckout['mails']
}

/** A signup that the limits allow, counted as an attempt. */
type Admitted = SignUp & { attemptId: number; ipHash: string; at: string }

/**
 * Creates a project or an intent. Rejects when signup is disabled or the tier is not sold (`not_configured`), or a
 * limit is reached (`signup_rate_limited`). Rejects when the challenge fails (`challenge_failed`) or the name is taken
 * (`name_taken`), and with `unavailable` when the challenge or the payment provider does not respond.
 */
export const signUp =
  (ports: Ports) =>
  async (request: SignUp): Promise<SignUpResponse> => {
    const { isOpen, payments, attempts, fingerprint, now } = ports
    const { tier, clientIp, isLocal } = request
    if (!isOpen) throw closed()
    if (tier !== 'free' && !payments.sells(tier)) throw notSold(tier)
    if (tier !== 'free') refuseOpenMock(ports, isLocal)
    const hashOf = (network: string) => fingerprint(`signup from ${network}`)
    const ipHash = hashOf(networkOf(clientIp))
    const wide = wideNetworkOf(clientIp)
    const origin = { address: ipHash, network: wide === null ? null : hashOf(wide) }
    const begun = await attempts.begin(origin, tier === 'free' ? 'project' : 'checkout', now())
    if ('limit' in begun) throw limited(begun)
    await challenge(request, ports)
    const admitted = { ...request, ...begun, ipHash, at: new Date(now()).toISOString() }
    return tier === 'free' ? create(admitted, ports) : intend(admitted, ports)
  }

async function challenge({ token, clientIp }: SignUp, { passesChallenge, report }: Ports): Promise<void> {
  const passed = await passesChallenge(token, clientIp).catch(cause => {
    report(cause)
    throw refuse('unavailable', {
      message: 'The challenge cannot be verified now. Try again in 30 seconds.',
      retryAfterSeconds: 30,
    })
  })
  if (!passed) throw refuse('challenge_failed', { field: 'turnstile_token' })
}

async function create(
  admitted: Admitted,
  { signups, mails, publish, trace }: Ports,
): Promise<SignUpResponse> {
  const { attemptId, projectName, tier, email, baseUrl, at } = admitted
  const mailKey = `signup:${attemptId}`
  const { plaintext, account } = newAccount(
    { name: projectName, tier, email, baseUrl, mailKey, paid: null, at, trace: trace() },
    randomInt,
  )
  const opened = settled(await signups.create(attemptId, account), projectName)
  publish(opened.outboxId)
  return {
    status: 'created',
    project_id: opened.projectId,
    project_name: projectName,
    tier,
    api_key: plaintext,
    prefix: account.key.prefix,
    label: account.key.label,
    email,
    email_sent: mails === 'server',
    intent_id: null,
    checkout_url: null,
  }
}

async function intend(admitted: Admitted, ports: Ports): Promise<SignUpResponse> {
  const { attemptId, projectName, tier, email, ipHash, at } = admitted
  const { signups, payments, intentHours, publish, trace } = ports
  const expiresAt = new Date(Date.parse(at) + intentHours * 3_600_000).toISOString()
  const mock = payments.mode === 'mock'
  const wanted = { tier, projectName, email, mock, clientIpHash: ipHash, at, expiresAt }
  const { intent, outboxId } = settled(await signups.intend(attemptId, wanted, trace()), projectName)
  publish(outboxId)
  try {
    const { checkout_url, mock: isMock } = await checkoutOf(intent, admitted, ports)
    return {
      status: 'checkout_required',
      project_name: projectName,
      tier,
      intent_id: intent.id,
      checkout_url,
      mock: isMock,
      api_key: null,
    }
  } catch (error) {
    // No client knows this intent, so its name must not stay reserved.
    await failIntent(intent.id, admitted, ports)
    throw error
  }
}

/** Fails the intent. Never rejects, so that the client gets the original error. */
async function failIntent(
  intentId: number,
  { attemptId, at }: Admitted,
  { signups, publish, trace, report }: Ports,
): Promise<void> {
  try {
    const outboxId = await signups.failIntent(attemptId, intentId, { at, trace: trace() })
    if (outboxId !== null) publish(outboxId)
  } catch (error) {
    report(error)
  }
}

function settled<Done extends object>(outcome: Done | Limited | 'taken', name: string): Done {
  if (outcome === 'taken') throw nameTaken(name)
  if (typeof outcome === 'object' && 'limit' in outcome) throw limited(outcome as Limited)
  return outcome as Done
}

const closed = () =>
  refuse('not_configured', {
    message: 'Sign-up is disabled. Request a key from the operator of this installation.',
  })

const notSold = (tier: string) =>
  refuse('not_configured', { field: 'tier', message: `The tier "${tier}" cannot be bought here.` })

const nameTaken = (name: string): Refusal =>
  refuse('name_taken', {
    field: 'project_name',
    message: `The name "${name}" is taken. Choose another name.`,
  })

const limitMessages: Record<Limited['limit'], string> = {
  attempts_of_address:
    'Your address made too many attempts to sign up within 24 hours. Try again after Retry-After.',
  attempts_of_network:
    'Your network (IPv6 /48) made too many attempts to sign up within 24 hours. Try again after Retry-After.',
  signups_of_day: 'The limit of sign-ups for today (UTC) is reached. Try again after Retry-After.',
  checkouts_of_day: 'The limit of unpaid checkouts for today (UTC) is reached. Try again after Retry-After.',
}

const limited = ({ limit, retryAfterSeconds }: Limited): Refusal =>
  refuse('signup_rate_limited', { reason: limit, message: limitMessages[limit], retryAfterSeconds })
