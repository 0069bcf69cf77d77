/** Asks name servers for the addresses of a name, over UDP and within bounded time (RFC 1034, RFC 3596). */
import dns from 'node:dns/promises'
import type { Found } from './remembered-names.ts'

const defaultTimeoutMs = 2_500
const tries = 2
const longestMs = 8_000
/** The system may come to know other servers, as a machine does that joins another network. */
const readAgainMs = 60_000

/**
 * @param servers `address` or `address:port`; those of the system where there are none
 * @param timeoutMs of one try; there are two of each server, and 8 s in all
 */
export function askNameServers({
  servers,
  timeoutMs = defaultTimeoutMs,
}: {
  servers: string[]
  timeoutMs?: number | undefined
}): (name: string) => Promise<Found<string>> {
  const resolverNow = servers.length > 0 ? fixed(servers, timeoutMs) : ofSystem(timeoutMs)
  return name => inTime(name, ask(resolverNow(), name))
}

function fixed(servers: string[], timeout: number): () => dns.Resolver {
  const resolver = new dns.Resolver({ timeout, tries })
  resolver.setServers(servers)
  return () => resolver
}

function ofSystem(timeout: number): () => dns.Resolver {
  const make = () => new dns.Resolver({ timeout, tries })
  let [resolver, madeAt] = [make(), performance.now()]
  return () => {
    if (performance.now() - madeAt > readAgainMs) [resolver, madeAt] = [make(), performance.now()]
    return resolver
  }
}

type Record = { address: string; ttl: number }

async function ask(resolver: dns.Resolver, name: string): Promise<Found<string>> {
  const [four, six] = await Promise.allSettled([
    resolver.resolve4(name, { ttl: true }),
    resolver.resolve6(name, { ttl: true }),
  ])
  const found: Record[] = [four, six].flatMap(result => (result.status === 'fulfilled' ? result.value : []))
  if (found.length === 0 && four.status === 'rejected') {
    // That it has no IPv4 address is not the last word where nobody said whether it has the other.
    throw six.status === 'rejected' && four.reason.code === dns.NODATA ? six.reason : four.reason
  }
  const ttlSeconds = Math.min(...found.map(({ ttl }) => ttl))
  return { addresses: found.map(({ address }) => address), ttlSeconds }
}

async function inTime<T>(name: string, asking: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const tooLate = () => Object.assign(new Error(`no name server answered for ${name}`), { code: 'ETIMEOUT' })
  const timer = setTimeout(() => late.reject(tooLate()), longestMs)
  try {
    return await Promise.race([asking, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
