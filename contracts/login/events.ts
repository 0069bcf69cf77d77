/** The events about the login of a run. No event contains a password or a cookie. */
import { Type } from 'typebox'
import { Again, fact } from '../commit.ts'
import { oneOf, orNull, Timestamp, UrlKey } from '../primitives.ts'

export const loginFacts = [
  /** The run requested its login. Until the login succeeds, the run orders neither pages nor robots.txt. */
  fact('LoginOrdered', { attempt: Type.Integer(), again: Again }),
  /** The login could not be tried and is retried later. */
  fact('LoginRetried', { attempt: Type.Integer(), reason: Type.String(), notBefore: Timestamp }),
  /** The cookies of this attempt are stored until the end of the run. */
  fact('LoggedIn', { attempt: Type.Integer() }),
  /** The run ends. `because`: the step that failed and the page that the browser showed; null: no browser tried it. */
  fact('LoginFailed', { attempt: Type.Integer(), reason: Type.String(), because: orNull(Type.String()) }),
  /** A page has a sign of having been logged out, and the run ends. */
  fact('LoggedOut', {
    key: UrlKey,
    url: Type.String(),
    sign: oneOf(['selector', 'redirect', 'status']),
    /** The selector, the target of the redirect, or the status. */
    because: Type.String(),
  }),
] as const
