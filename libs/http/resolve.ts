/**
 * Resolves a host to its addresses, once. Literals are parsed, and `localhost` is loopback by definition (RFC 6761)
 * and never looked up. All other names go to the resolver.
 */
import net from 'node:net'
import { cacheDnsLookups } from './cached-lookups.ts'
import { FetchError } from './fetch-error.ts'
import { openHostsFile } from './hosts-file.ts'
import { queryNameServers } from './name-servers.ts'

export type Address = { address: string; family: 4 | 6 }

/** Returns all addresses of a name, in the order in which they should be tried. Rejects if the name has no address. */
export type Resolver = (host: string) => Promise<Address[]>

export type ResolverOptions = {
  /** `address` or `address:port`; default: those of the system (setting DNS_SERVERS). */
  servers: string[]
  /** Milliseconds for all tries of one query together. */
  timeoutMs?: number
  /** Default: the hosts file of the system. */
  hostsFile?: string
}

/**
 * Returns a resolver that reads the hosts file first, then queries name servers for A and AAAA at once. It blocks no
 * thread while it waits, so a dead name server delays no other work. Names are looked up as written, without a search
 * list.
 */
export function createResolver({ servers, timeoutMs, hostsFile }: ResolverOptions): Resolver {
  const hosts = openHostsFile(hostsFile)
  const resolve = queryNameServers({ servers, timeoutMs })
  const cached = cacheDnsLookups({ resolve })
  return async host => {
    const known = await hosts.addressesOf(host)
    return (known.length > 0 ? known : await cached(host)).map(addressOf)
  }
}

const resolvers = new Map<string, Resolver>()

/** Returns one resolver for all services of a process with the same settings, so that they share its cache. */
export function resolverOf({ DNS_SERVERS: servers = [] }: { DNS_SERVERS?: string[] }): Resolver {
  const key = servers.join()
  const resolver = resolvers.get(key) ?? createResolver({ servers })
  resolvers.set(key, resolver)
  return resolver
}

/**
 * Returns the addresses of a host as written in a URL or a CONNECT line; IPv6 with or without brackets.
 * @throws FetchError `dns`: final if the name does not exist, transient if no name server responded
 */
export async function addressesOf(host: string, resolver: Resolver): Promise<Address[]> {
  const bare = withoutBrackets(host)
  if (isAddressLiteral(bare)) return [addressOf(bare)]
  if (isLocalhost(bare)) return [{ address: '127.0.0.1', family: 4 }]
  try {
    const found = await resolver(bare)
    if (found.length === 0) throw new Error(`${bare} has no address`)
    return found
  } catch (cause) {
    throw dnsError(bare, cause)
  }
}

/** Returns whether the host is an IP address and not a name. */
export const isAddressLiteral = (host: string): boolean => net.isIP(withoutBrackets(host)) !== 0

const withoutBrackets = (host: string) =>
  host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host

const isLocalhost = (host: string) => /(?:^|\.)localhost\.?$/i.test(host)

const addressOf = (address: string): Address => ({ address, family: net.isIPv6(address) ? 6 : 4 })

// A refused or timed out connection is one to our name server, not to the site.
function dnsError(host: string, cause: unknown): FetchError {
  const { code, transient } = FetchError.from(cause)
  return new FetchError('dns', {
    because: host,
    cause,
    transient: code === 'dns' ? transient : code !== 'protocol',
  })
}
