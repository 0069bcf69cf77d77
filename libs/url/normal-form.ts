/**
 * The identity of a URL. Two addresses are the same page exactly when their normal forms are equal, and the
 * normal form of a normal form is itself; everything stored, hashed or compared is in this form.
 *
 * Parsed as the WHATWG URL standard says, then:
 * - scheme: http and https only, and they stay two;
 * - host: lower case; Punycode by UTS 46, non-transitional (`faß` is not `fass`); numbers as an address; no
 *   trailing dot; `www` stays;
 * - no user, no password, no default port, no fragment;
 * - path: dot segments resolved, also escaped ones; case, doubled slashes, a trailing slash, `index.html` and
 *   `;parameters` stay;
 * - escapes: upper case; unreserved characters stand for themselves (RFC 3986, 6.2.2), all others stay;
 * - query: no tracking parameters by name, no empty query; its order, repetitions, empty parts, `+` stay.
 *
 * Whatever stays can mean another page. That two such addresses are one is known only once both were fetched.
 */
import { normalEscapes } from './escapes.ts'
import { withoutTracking } from './tracking.ts'

/** Characters. No input and no normal form may be longer. */
export const maxUrlLength = 8192

/**
 * The normal form of an address, or null when it is none we could ever fetch.
 * @param input An absolute URL, or one relative to `base`.
 * @param base An absolute URL; when it does not parse, the answer is null as the standard says.
 */
export function normalForm(input: string, base?: string | URL): string | null {
  if (input.length > maxUrlLength) return null
  const url = URL.parse(input, typeof base === 'object' ? base.href : base)
  if (url === null) return null
  const origin = normalOrigin(url)
  if (origin === null) return null

  const query = url.search === '' ? '' : withoutTracking(normalEscapes(url.search.slice(1)))
  const normal = `${origin}${normalEscapes(url.pathname)}${query === '' ? '' : `?${query}`}`
  return normal.length > maxUrlLength ? null : normal
}

/** Scheme, host and explicit port of a parsed URL as the normal form writes them; null when we do not fetch such. */
export function normalOrigin({ protocol, host, hostname, port }: URL): string | null {
  if (protocol !== 'http:' && protocol !== 'https:') return null
  if (!hostname.endsWith('.')) return `${protocol}//${host}`
  const name = hostname.slice(0, -1)
  if (name === '' || name.endsWith('.')) return null // an empty label has no address
  return `${protocol}//${name}${port === '' ? '' : `:${port}`}`
}
