/**
 * The identity of a URL. Two addresses are the same page exactly if their normal forms are equal. Normalizing a
 * normal form does not change it. All stored, hashed and compared URLs are in this form.
 *
 * URLs are parsed by the WHATWG URL standard. Then these rules apply:
 * - scheme: only http and https, which stay different;
 * - host: lower case; Punycode by UTS 46, non-transitional (`faß` is not `fass`); numbers as an address; no trailing
 *   dot; `www` is kept;
 * - no user, no password, no default port, no fragment;
 * - path: dot segments are resolved, also escaped ones; case, doubled slashes, a trailing slash, `index.html` and
 *   `;parameters` are kept;
 * - escapes: upper case; unreserved characters are decoded (RFC 3986, 6.2.2), all others are kept;
 * - query: no tracking parameters by name, no empty query; its order, repetitions, empty parts and `+` are kept.
 *
 * Everything that is kept can distinguish two pages. Only fetching both can show that two such addresses are one
 * page.
 */
import { normalEscapes } from './escapes.ts'
import { withoutTracking } from './tracking.ts'

/** Maximum characters of an input and of a normal form. */
export const maxUrlLength = 8192

/**
 * Returns the normal form of an address, or null if it can never be fetched.
 * @param input An absolute URL, or one relative to `base`.
 * @param base An absolute URL. If it does not parse, the result is null, as in the standard.
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

/** Returns scheme, host and explicit port of a parsed URL in normal form, or null if they are not supported. */
export function normalOrigin({ protocol, host, hostname, port }: URL): string | null {
  if (protocol !== 'http:' && protocol !== 'https:') return null
  if (!hostname.endsWith('.')) return `${protocol}//${host}`
  const name = hostname.slice(0, -1)
  if (name === '' || name.endsWith('.')) return null // an empty label has no address
  return `${protocol}//${name}${port === '' ? '' : `:${port}`}`
}
