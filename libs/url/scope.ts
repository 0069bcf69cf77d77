/**
 * Decides which URLs a crawl may visit: the host of its seed, optionally with all subdomains of it. In the second case
 * a leading `www.` of the seed's host is ignored: a crawl of `www.example.com` also includes `example.com` and
 * `shop.example.com`. A crawl of `docs.example.com` includes `x.docs.example.com`, but neither of the other two.
 *
 * http and https are the same site. A port counts only if it is explicit and not the default of its scheme. It must
 * then equal the seed's port, also for subdomains.
 */
import { normalForm } from './normal-form.ts'
import { isPublicSuffix, siteOf } from './site.ts'

/**
 * `host` is in normal form, with its explicit port if it has one. The scope is plain data, which is sent in events.
 */
export type Scope = { host: string; subdomains: boolean }

const slash = 0x2f

/** Returns the scope of a seed. A URL that cannot be fetched has an empty host, and nothing is in its scope. */
export const scopeOf = (url: string, subdomains: boolean): Scope =>
  subdomains ? wideScope(url, withoutWww) : { host: authorityOf(url) ?? '', subdomains }

/**
 * Returns whether an origin belongs to the client's own site, which may receive the headers and cookies that the client
 * set for the seed: the seed's host or a subdomain of it, and not unencrypted if the seed is encrypted. A redirect of
 * the seed may move a run to another host, which does not receive them.
 */
export function isOwnSite(seed: string, origin: string): boolean {
  if (URL.parse(seed)?.protocol === 'https:' && origin.startsWith('http:')) return false
  return inScope(scopeOf(seed, true), `${origin}/`)
}

/** Returns the scope of the whole site of a URL: its registrable domain with all subdomains. */
export const siteScopeOf = (url: string): Scope => wideScope(url, siteOf)

/** Returns whether a URL in normal form is on the site of a scope: the same registrable domain, at any port. */
export const isOnSiteOf = ({ host }: Scope, url: string): boolean =>
  siteOf(new URL(url).hostname) === siteOf(host.replace(/:\d+$/, ''))

/** Returns the scope of a name that is derived from the URL's host, at the port of the URL. */
function wideScope(url: string, topOf: (name: string) => string): Scope {
  const authority = authorityOf(url) ?? ''
  const port = /:\d+$/.exec(authority)?.[0] ?? ''
  const name = authority.slice(0, authority.length - port.length)
  // Domains below a public suffix belong to different owners, so they are not subdomains of one site.
  return isPublicSuffix(name)
    ? { host: authority, subdomains: false }
    : { host: topOf(name) + port, subdomains: true }
}

/** Returns the host without a leading `www` label, unless that label is a part of its registrable domain. */
function withoutWww(name: string): string {
  const rest = name.replace(/^www\./, '')
  return siteOf(rest) === siteOf(name) ? rest : name
}

/**
 * Returns whether an absolute URL is in a scope. It is correct for every URL that parses, and fast for normal forms.
 */
export function inScope({ host, subdomains }: Scope, url: string): boolean {
  if (host === '') return false
  if (startsWithHost(url, host)) return true
  const authority = authorityOf(url)
  if (authority === null) return false
  return authority === host || (subdomains && authority.endsWith(`.${host}`))
}

/**
 * Returns whether a URL starts with a scheme and this host. Nearly all links of a site do, and need no parser. A host
 * with a default port is left to the parser, because it belongs to one scheme only.
 */
function startsWithHost(url: string, host: string): boolean {
  const start = url.startsWith('https://') ? 8 : url.startsWith('http://') ? 7 : 0
  return (
    start > 0 &&
    url.startsWith(host, start) &&
    url.charCodeAt(start + host.length) === slash &&
    !host.endsWith(':80') &&
    !host.endsWith(':443')
  )
}

function authorityOf(url: string): string | null {
  const plain = plainAuthority(url)
  if (plain !== null) return plain
  const normal = normalForm(url)
  if (normal === null) return null
  const start = normal.indexOf('/') + 2
  return normal.slice(start, normal.indexOf('/', start))
}

/** Returns the host and port of a URL in normal form, else null: other spellings are parsed. */
function plainAuthority(url: string): string | null {
  const match = plainStart.exec(url)
  if (match === null) return null
  const [, scheme, authority = '', port] = match
  return port === (scheme === 'http' ? ':80' : ':443') ? null : authority
}

/**
 * Matches a scheme, a host and an optional port, up to the path. The host is a name whose last label is not a number,
 * or an IPv4 address. Upper case, user names, backslashes, trailing dots and unusual numbers do not match.
 */
const plainStart =
  /^(https?):\/\/((?:(?:[a-z0-9_-]+\.)*[a-z][a-z0-9_-]*|(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3})(:[1-9]\d{0,4})?)\//
