/**
 * The URLs that a crawl may visit: those of its seed's host, or, on request, those of its registrable domain and all
 * subdomains: a crawl of `www.example.com` then includes `example.com` and `shop.example.com`.
 * http and https are the same site. A port counts only if it is explicit and not the default of its scheme. Then it
 * must be the seed's, for subdomains too.
 */
import { normalForm } from './normal-form.ts'
import { isPublicSuffix, siteOf } from './site.ts'

/** `host` is in normal form, with its explicit port if it has one; plain data that travels in events. */
export type Scope = { host: string; subdomains: boolean }

/** The scope of a seed. A URL that cannot be fetched has the empty host: nothing is in its scope. */
export function scopeOf(url: string, subdomains: boolean): Scope {
  const authority = authorityOf(url) ?? ''
  if (!subdomains) return { host: authority, subdomains }
  const port = /:\d+$/.exec(authority)?.[0] ?? ''
  const name = authority.slice(0, authority.length - port.length)
  // Hosts below a public suffix belong to different owners, so they are not subdomains of one site.
  return isPublicSuffix(name)
    ? { host: authority, subdomains: false }
    : { host: siteOf(name) + port, subdomains }
}

/** Whether an absolute URL lies in a scope. Right for every URL that parses, quick for those in normal form. */
export function inScope({ host, subdomains }: Scope, url: string): boolean {
  if (host === '') return false
  const authority = authorityOf(url)
  if (authority === null) return false
  return authority === host || (subdomains && authority.endsWith(`.${host}`))
}

function authorityOf(url: string): string | null {
  const plain = plainAuthority(url)
  if (plain !== null) return plain
  const normal = normalForm(url)
  if (normal === null) return null
  const start = normal.indexOf('/') + 2
  return normal.slice(start, normal.indexOf('/', start))
}

/** The host and port of a URL that is spelled as normal forms are, else null: anything odd is parsed. */
function plainAuthority(url: string): string | null {
  const match = plainStart.exec(url)
  if (match === null) return null
  const [, scheme, authority = '', port] = match
  return port === (scheme === 'http' ? ':80' : ':443') ? null : authority
}

/**
 * A scheme, a name whose last label is no number or an IPv4 address, and perhaps a port, up to the path.
 * Upper case, user names, backslashes, trailing dots and strange numbers do not match.
 */
const plainStart =
  /^(https?):\/\/((?:(?:[a-z0-9_-]+\.)*[a-z][a-z0-9_-]*|(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3})(:[1-9]\d{0,4})?)\//
