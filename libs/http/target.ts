/**
 * Parses a URL of a client, and reports early whether it can ever be fetched. Every connection is judged again, so
 * this check is for a prompt and clear error, not for safety.
 */
import { FetchError } from './fetch-error.ts'
import type { Guard, Refusal } from './guard.ts'
import { inTime } from './limit.ts'
import { refusePort } from './ports.ts'
import { addressesOf, isAddressLiteral, type Resolver } from './resolve.ts'

/**
 * Returns the parsed URL.
 * @param input an absolute URL as given; WHATWG rules, so decimal, octal, hex and full-width hosts become plain
 * addresses
 * @throws FetchError `bad_url` unless it is http or https, with a host, without user name and password, and with a
 * port that may be requested
 */
export function parseTarget(input: string): URL {
  const url = URL.parse(input)
  if (!url) throw refused(input, 'it cannot be read')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refused(input, `scheme ${url.protocol}`)
  if (url.username !== '' || url.password !== '') throw refused(input, 'it contains a user name or password')
  if (url.hostname === '') throw refused(input, 'it has no host')
  const badPort = refusePort(portOf(url))
  if (badPort) throw refused(input, badPort)
  return url
}

/** Returns the port of a connection for this URL. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}

/**
 * Judges port, host and all current addresses of the host. A name that does not resolve within `timeoutMs` is
 * accepted, because the fetch will report it.
 * @returns the error, or null
 */
export async function judgeTarget(
  guard: Guard,
  url: URL,
  resolver: Resolver,
  { timeoutMs }: { timeoutMs: number },
): Promise<FetchError | null> {
  const port = portOf(url)
  const refused = guard.judgePort(port) ?? guard.judgeHost(url.hostname)
  if (refused) return refusedBy(refused, url)
  const addresses = await inTime(timeoutMs, url.host, addressesOf(url.hostname, resolver)).catch(() => [])
  for (const { address } of addresses) {
    const refusal = guard.judge(address, port)
    if (refusal) return refusedAt(url.hostname, refusal, url.href)
  }
  return null
}

const refusedBy = ({ code, because }: Refusal, url: URL) =>
  new FetchError(code, { because, target: url.href })

/** Returns the error for one address of a host. Private addresses behind a name are not revealed to clients. */
export const refusedAt = (host: string, { code, because }: Refusal, target: string): FetchError =>
  new FetchError(code, { ...(isAddressLiteral(host) && { because }), target })

const refused = (target: string, because: string) => new FetchError('bad_url', { because, target })
