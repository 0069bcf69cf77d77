/**
 * From a host to the addresses it stands for, asked once. Literals are read, `localhost` is loopback by
 * definition (RFC 6761) and is never asked for; every other name goes to the resolver.
 */
import dns from 'node:dns/promises'
import net from 'node:net'
import { FetchError } from './fetch-error.ts'

export type Address = { address: string; family: 4 | 6 }

/** All addresses of a name, in the order in which they should be tried. Rejects when there are none. */
export type Resolver = (host: string) => Promise<Address[]>

/** Asks the operating system: hosts file, search list and all. Each lookup holds a thread of libuv's pool. */
export const systemResolver: Resolver = async host =>
  (await dns.lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => addressOf(address))

/**
 * Asks name servers directly, for A and AAAA at once, and holds no thread while it waits.
 * @param servers `address` or `address:port` (setting DNS_SERVERS)
 * @param timeoutMs of one try; there are two
 */
export function createDnsResolver({ servers, timeoutMs = 2_500 }: { servers: string[]; timeoutMs?: number }) {
  const resolver = new dns.Resolver({ timeout: timeoutMs, tries: 2 })
  resolver.setServers(servers)
  const resolve: Resolver = async host => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const found = [four, six].flatMap(result => (result.status === 'fulfilled' ? result.value : []))
    if (found.length === 0 && four.status === 'rejected') throw four.reason
    return found.map(addressOf)
  }
  return resolve
}

/**
 * The addresses of a host as it stands in a URL or a CONNECT line; IPv6 with or without brackets.
 * @throws FetchError `dns`: final when the name does not exist, transient when nobody would say
 */
export async function locate(host: string, resolver: Resolver): Promise<Address[]> {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
  if (net.isIP(bare) !== 0) return [addressOf(bare)]
  if (isLocalhost(bare)) return [{ address: '127.0.0.1', family: 4 }]
  try {
    const found = await resolver(bare)
    if (found.length === 0) throw new Error(`${bare} has no address`)
    return found
  } catch (cause) {
    throw dnsError(bare, cause)
  }
}

const isLocalhost = (host: string) => /(?:^|\.)localhost\.?$/i.test(host)

const addressOf = (address: string): Address => ({ address, family: net.isIPv6(address) ? 6 : 4 })

// A refused or timed out connection means the name server's here, and not the site's.
function dnsError(host: string, cause: unknown): FetchError {
  const { code, transient } = FetchError.from(cause)
  return new FetchError('dns', {
    because: host,
    cause,
    transient: code === 'dns' ? transient : code !== 'protocol',
  })
}
