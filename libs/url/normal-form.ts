/**
 * The identity of a URL. Two URLs are the same page exactly if their normal forms are equal, and the normal form of a
 * normal form is itself. All stored, hashed and compared URLs are in this form.
 * Parsed by the WHATWG URL standard, then:
 * - scheme: only http and https, which stay different;
 * - host: lower case; Punycode by UTS 46, non-transitional (`faß` is not `fass`); numbers as an address; no trailing
 * dot; `www` stays;
 * - no user, no password, no default port, no fragment;
 * - path: dot segments resolved, including escaped ones; case, double slashes, a trailing slash, `index.html` and
 * `;parameters` stay;
 * - escapes: upper case; unreserved characters are unescaped (RFC 3986, 6.2.2), all others stay;
 * - query: no tracking parameters by name, no empty query; its order, repetitions, empty parts and `+` stay.
 * Every kept part can mean another page. Only fetching both shows that two such URLs are one page.
 */
import { normalEscapes } from './escapes.ts'
import { withoutTracking } from './tracking.ts'

/** Characters. No input and no normal form may be longer. */
export const maxUrlLength = 8192

/**
 * Returns the normal form of a URL, or null if it can never be fetched.
 * @param input An absolute URL, or one relative to `base`.
 * @param base An absolute URL; if it does not parse, the result is null according to the standard.
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
