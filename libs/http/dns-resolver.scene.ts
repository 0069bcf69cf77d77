/** Names as a test's own name server says them at that moment. */
import net from 'node:net'
import { askNameServers } from './name-servers.ts'
import type { Resolver } from './resolve.ts'

/** Asks the name servers (`address` or `address:port`) alone, each time anew. */
export function createDnsResolver(servers: string[]): Resolver {
  const ask = askNameServers({ servers })
  return async host =>
    (await ask(host)).addresses.map(address => ({ address, family: net.isIPv6(address) ? 6 : 4 }))
}
