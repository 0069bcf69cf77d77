/** Who may sign up here, how often, and for how long a name is held for who has still to pay. */
import { Type } from 'typebox'

export const signup = {
  SIGNUP: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    default: 'on',
    description:
      'Whether strangers may sign up (`POST /v1/signup`). off: projects are made by `npm run admin -- create-project` only.',
  }),
  SIGNUPS_PER_ADDRESS: Type.Integer({
    default: 3,
    minimum: 1,
    maximum: 1_000_000,
    description:
      'Attempts to sign up from one address in 24 hours, whatever came of them; of IPv6 the first 64 bits are the address.',
  }),
  SIGNUPS_PER_DAY: Type.Integer({
    default: 100,
    minimum: 0,
    maximum: 1_000_000,
    description: 'Signups that may succeed on one day (UTC), from everywhere.',
  }),
  INTENT_HOURS: Type.Integer({
    default: 24,
    minimum: 1,
    maximum: 24,
    description: 'For so long a name is held for who has still to pay; the checkout ends with it.',
  }),
  TURNSTILE_SECRET: Type.String({
    default: '',
    description:
      'Secret of a Turnstile widget, or of what verifies alike. Set: who signs up must send `turnstile_token`.',
  }),
  TURNSTILE_URL: Type.String({
    default: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    check: urlFault,
    description: 'Where tokens are verified.',
  }),
}

export function urlFault(text: string): string | null {
  const isHttp = ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '')
  return isHttp ? null : 'must be a URL that begins with http:// or https://'
}
