/** Resolves names by the current answers of a test's own name server. */
import net from 'node:net'
import { queryNameServers } from './name-servers.ts'
import type { Resolver } from './resolve.ts'

/** Queries only these name servers (`address` or `address:port`), each time without a cache. */
export function createDnsResolver(servers: string[]): Resolver {
  const send = queryNameServers({ servers })
  return async host =>
    (await send(host)).addresses.map(address => ({ address, family: net.isIPv6(address) ? 6 : 4 }))
}
