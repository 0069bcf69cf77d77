/**
 * From a host to the addresses it stands for, asked once. Literals are read, `localhost` is loopback by
 * definition (RFC 6761) and is never asked for; every other name goes to the resolver.
 */
import dns from 'node:dns/promises'
import net from 'node:net'
import { FetchError } from './fetch-error.ts'
import { openHostsFile } from './hosts-file.ts'
import { askNameServers } from './name-servers.ts'
import { rememberNames } from './remembered-names.ts'

export type Address = { address: string; family: 4 | 6 }

/** All addresses of a name, in the order in which they should be tried. Rejects when there are none. */
export type Resolver = (host: string) => Promise<Address[]>

/** Asks the operating system: hosts file, search list and all. Each lookup holds one of libuv's few threads: for tests. */
export const systemResolver: Resolver = async host =>
  (await dns.lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => addressOf(address))

export type ResolverOptions = {
  /** `address` or `address:port`; those of the system where there are none (setting DNS_SERVERS). */
  servers: string[]
  /** For all tries of one question together. */
  timeoutMs?: number
  /** In place of the system's. */
  hostsFile?: string
}

/**
 * The hosts file first, then name servers, for A and AAAA at once. It holds no thread while it waits, so a name
 * server that is dead costs nobody else anything; a name is asked for as it stands, without a search list.
 */
export function createResolver({ servers, timeoutMs, hostsFile }: ResolverOptions): Resolver {
  const hosts = openHostsFile(hostsFile)
  const ask = askNameServers({ servers, timeoutMs })
  const named = rememberNames({ ask })
  return async host => {
    const known = await hosts.addressesOf(host)
    return (known.length > 0 ? known : await named(host)).map(addressOf)
  }
}

const resolvers = new Map<string, Resolver>()

/** One for all services of a process that are set alike: what one has been told, the others need not ask. */
export function resolverOf({ DNS_SERVERS: servers = [] }: { DNS_SERVERS?: string[] }): Resolver {
  const key = servers.join()
  const resolver = resolvers.get(key) ?? createResolver({ servers })
  resolvers.set(key, resolver)
  return resolver
}

/**
 * The addresses of a host as it stands in a URL or a CONNECT line; IPv6 with or without brackets.
 * @throws FetchError `dns`: final when the name does not exist, transient when nobody would say
 */
export async function locate(host: string, resolver: Resolver): Promise<Address[]> {
  const bare = withoutBrackets(host)
  if (isWritten(bare)) return [addressOf(bare)]
  if (isLocalhost(bare)) return [{ address: '127.0.0.1', family: 4 }]
  try {
    const found = await resolver(bare)
    if (found.length === 0) throw new Error(`${bare} has no address`)
    return found
  } catch (cause) {
    throw dnsError(bare, cause)
  }
}

/** Whether the host is an address itself, and no name that stands for one. */
export const isWritten = (host: string): boolean => net.isIP(withoutBrackets(host)) !== 0

const withoutBrackets = (host: string) =>
  host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host

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
