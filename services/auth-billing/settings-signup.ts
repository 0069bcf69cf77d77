/** Defines the settings for signups: their limits, and the time for which an unpaid signup reserves its name. */
import { oneOf } from '@tidemark/contracts/primitives'
import { Type } from 'typebox'

export const signup = {
  SIGNUP: oneOf(['on', 'off'], {
    default: 'on',
    description:
      'Whether strangers may sign up (`POST /v1/signup`). off: only `npm run admin -- create-project` creates projects.',
  }),
  SIGNUPS_PER_ADDRESS: Type.Integer({
    default: 3,
    minimum: 1,
    maximum: 1_000_000,
    description:
      'Signup attempts per address in 24 hours, successful or not. For IPv6 the address is its first 64 bits.',
  }),
  SIGNUPS_PER_NETWORK: Type.Integer({
    default: 10,
    minimum: 1,
    maximum: 1_000_000,
    description:
      'Signup attempts per IPv6 /48 in 24 hours, in addition to SIGNUPS_PER_ADDRESS: one customer of a provider may have 65,536 networks of 64 bits.',
  }),
  SIGNUPS_PER_DAY: Type.Integer({
    default: 100,
    minimum: 0,
    maximum: 1_000_000,
    description:
      'Successful signups per day (UTC) from all addresses: free projects at their creation, paid ones at their payment. A payment is always accepted.',
  }),
  CHECKOUTS_PER_DAY: Type.Integer({
    default: 1_000,
    minimum: 0,
    maximum: 1_000_000,
    description:
      'Unpaid signups for paid tiers per day (UTC) from all addresses. SIGNUPS_PER_DAY does not include them.',
  }),
  INTENT_HOURS: Type.Integer({
    default: 24,
    minimum: 1,
    maximum: 24,
    description: 'Hours for which an unpaid signup reserves its name. The checkout expires at the same time.',
  }),
  TURNSTILE_SECRET: Type.String({
    default: '',
    description:
      'Secret of a Turnstile widget or a compatible service. If set, signups must send `turnstile_token`.',
  }),
  TURNSTILE_URL: Type.String({
    default: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    check: urlFault,
    description: 'Address that verifies the tokens.',
  }),
}

export function urlFault(text: string): string | null {
  const isHttp = ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '')
  return isHttp ? null : 'must be a URL that begins with http:// or https://'
}
