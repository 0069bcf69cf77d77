/**
 * Decides the login of a run. The login is ordered before anything except the sitemap of a seed, and its cookies
 * accompany the orders of pages. A run ends when its login has failed or was lost. A page with a sign of having been
 * logged out is not a page of the run.
 */
import type { RunSettings } from '@tidemark/contracts/run-settings'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { urlKey } from '@tidemark/url/key'
import type { Decision } from '../circumstances.ts'
import { areBrowsersSilent, noBrowser } from '../rendering.ts'
import { attemptAfter, isDue } from '../retry.ts'
import type { Running } from '../run.ts'
import type { Login } from './state.ts'

/** The key of the login's order. No URL has this key. */
export const loginKey = urlKey('login')

type Of<Type extends Outcome['type']> = Extract<Outcome, { type: Type }>
type OfLogin = Of<'logged_in' | 'login_failed' | 'failed'>

/**
 * Returns the state of the login at the start or the reopening of a run. A reopened run needs a new login, because its
 * earlier end has deleted the session.
 */
export const firstLogin = ({ login }: RunSettings, earlier = 0): Login | null =>
  login === undefined ? null : { state: 'waiting', attempt: earlier + 1, notBefore: 0, earlier }

/** Returns whether the run may order nothing new but its login. */
export const awaitsLogin = ({ login }: Running): boolean => login !== null && login.state !== 'in'

/** Orders the login if it is due. */
export function orderLogin({ run: { login }, emit, now }: Decision): void {
  if (login?.state === 'waiting' && isDue(login.notBefore, now))
    emit({ type: 'LoginOrdered', data: { attempt: login.attempt } })
}

/** Orders the login again after a silence, or fails it if no browser seems to exist. */
export function orderLoginAgain({ run, emit }: Decision, again: number): void {
  if (run.login?.state !== 'ordered') return
  const { attempt } = run.login
  if (areBrowsersSilent(run))
    emit({ type: 'LoginFailed', data: { attempt, reason: noBrowser, because: null } })
  else emit({ type: 'LoginOrdered', data: { attempt, again } })
}

/** Settles an outcome of the login. An outcome of another attempt changes nothing. */
export function settleLogin({ run: { login }, emit, now }: Decision, outcome: OfLogin): void {
  if (login?.state !== 'ordered' || outcome.attempt !== login.attempt) return
  const { attempt, earlier } = login
  if (outcome.type === 'logged_in') emit({ type: 'LoggedIn', data: { attempt } })
  else if (outcome.type === 'login_failed')
    emit({ type: 'LoginFailed', data: { attempt, reason: 'step', because: outcome.because } })
  else {
    const { reason, transient, retryAfterMs } = outcome
    const again = transient ? attemptAfter('page', attempt, { now, retryAfterMs, earlier }) : null
    if (again === null) emit({ type: 'LoginFailed', data: { attempt, reason, because: null } })
    else emit({ type: 'LoginRetried', data: { reason, ...again } })
  }
}

type Sign = { sign: 'selector' | 'redirect' | 'status'; because: string }

/** Returns the sign of having been logged out that this outcome of a page has, or null. */
export function signOf({ settings: { login } }: Running, outcome: Of<'page' | 'redirect'>): Sign | null {
  if (login === undefined) return null
  const { selector, redirect, status } = login.loggedOut
  if (outcome.type === 'redirect') {
    const [, url] = outcome.to
    return redirect !== undefined && addressOf(url) === redirect ? { sign: 'redirect', because: url } : null
  }
  if (outcome.isLoggedOut) return { sign: 'selector', because: selector ?? '' }
  return outcome.status === status ? { sign: 'status', because: String(status) } : null
}

/** Fails a page with a sign of having been logged out. The decision then ends the run. */
export function settleLoggedOut({ run, emit }: Decision, key: string, sign: Sign): void {
  const pending = run.pending.get(key)
  if (pending === undefined) return
  const { found, attempt } = pending
  if (run.lost === null) emit({ type: 'LoggedOut', data: { key, url: found.url, ...sign } })
  emit({ type: 'PagesFailed', data: { pages: [{ key, reason: 'logged_out', attempts: attempt }] } })
}

/** Returns a URL without query and fragment. */
const addressOf = (url: string): string => {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
