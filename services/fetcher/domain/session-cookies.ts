/**
 * Selects the cookies of a run's session for one URL, by the rules of RFC 6265: domain, path, Secure and expiry. Only
 * URLs in the scope of the run receive any.
 */

import type { SessionCookie } from '@tidemark/contracts/login/session'
import type { Scope } from '@tidemark/contracts/run'
import { inScope } from '@tidemark/url/scope'
import { siteOf } from '@tidemark/url/site'

type Session = readonly SessionCookie[]

/**
 * Returns the `Cookie` field for this URL; empty without cookies.
 * @param now milliseconds since 1970
 */
export function cookieFieldOf(session: Session, scope: Scope, url: string, now: number): string {
  if (session.length === 0) return ''
  const to = URL.parse(url)
  if (to === null || !inScope(scope, url)) return ''
  return session
    .filter(cookie => isFor(cookie, to) && isAlive(cookie, now))
    .toSorted((one, other) => other.path.length - one.path.length)
    .map(({ name, value }) => asSent(`${name}=${value}`))
    .filter(pair => !/[\r\n\0;]/.test(pair))
    .join('; ')
}

/**
 * Returns the cookies with which a browser may render this URL. The browser applies their rules, but knows no scope: a
 * cookie for a domain that is wider than the scope is reduced to the host of the URL.
 */
export function cookiesWithin(session: Session, scope: Scope, url: string, now: number): SessionCookie[] {
  const { hostname } = URL.parse(url) ?? { hostname: '' }
  if (hostname === '' || !inScope(scope, url)) return []
  return session
    .filter(cookie => isAlive(cookie, now))
    .flatMap(cookie => {
      if (isInside(nameOf(cookie), scope) && scope.subdomains) return [cookie]
      return matchesHost(cookie, hostname) ? [{ ...cookie, domain: hostname }] : []
    })
}

/** Returns the cookies that pages of these hosts' sites may receive. Cookies of a separate login site are left out. */
export function cookiesOfSites<C extends Pick<SessionCookie, 'domain'>>(
  cookies: readonly C[],
  hosts: readonly string[],
): C[] {
  const sites = new Set(hosts.map(host => siteOf(withoutPort(host).replace(/\.$/, ''))))
  return cookies.filter(cookie => sites.has(siteOf(nameOf(cookie))))
}

/**
 * Adds cookies of the session or of the run to the headers of the client. They replace cookies of the headers with the
 * same name.
 */
export function withCookies(headers: Record<string, string>, field: string): Record<string, string> {
  if (field === '') return headers
  const names = new Set(pairsOf(field).map(nameOfPair))
  const own = pairsOf(headers.cookie ?? '').filter(pair => !names.has(nameOfPair(pair)))
  return { ...headers, cookie: [...own, field].join('; ') }
}

const pairsOf = (field: string): string[] => field.split(/;\s*/).filter(pair => pair !== '')
const nameOfPair = (pair: string): string => pair.slice(0, Math.max(0, pair.indexOf('=')))

const isFor = (cookie: SessionCookie, to: URL): boolean =>
  matchesHost(cookie, to.hostname) &&
  matchesPath(cookie.path, to.pathname) &&
  (!cookie.secure || to.protocol === 'https:')

const isAlive = ({ expires }: SessionCookie, now: number): boolean => expires < 0 || expires * 1000 > now

const nameOf = ({ domain }: Pick<SessionCookie, 'domain'>): string => domain.replace(/^\./, '')

const matchesHost = (cookie: SessionCookie, hostname: string): boolean =>
  hostname === nameOf(cookie) || (cookie.domain.startsWith('.') && hostname.endsWith(cookie.domain))

/** Returns whether a path matches (RFC 6265, 5.1.4). */
const matchesPath = (path: string, at: string): boolean =>
  at === path || (at.startsWith(path) && (path.endsWith('/') || at[path.length] === '/'))

function isInside(name: string, { host }: Scope): boolean {
  const scoped = withoutPort(host)
  return name === scoped || name.endsWith(`.${scoped}`)
}

const withoutPort = (host: string): string => host.replace(/:\d+$/, '')

/** Returns the bytes of a pair as characters, because a header field has one character for each byte. */
const asSent = (pair: string): string => Buffer.from(pair).toString('latin1')
