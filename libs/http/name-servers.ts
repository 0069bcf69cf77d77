/** Queries name servers for the addresses of a name, over UDP and in bounded time (RFC 1034, RFC 3596). */
import dns from 'node:dns/promises'
import { type Found, isAbsence } from './cached-lookups.ts'

/**
 * `timeout` is in milliseconds and applies until the latency of a server is known. For a fast one it is then 250 ms.
 * Each further try doubles it.
 */
const trying = { timeout: 2_500, tries: 4 }
const defaultTimeoutMs = 8_000
/** Maximum milliseconds to wait for the addresses of one family (IPv4, IPv6) after those of the other have arrived. */
const otherMs = 1_000
/**
 * Milliseconds after which the system's name servers are read again. They change when the machine changes networks.
 */
const readAgainMs = 60_000

/**
 * Returns a function that queries the name servers for a name.
 * @param servers `address` or `address:port`; default: those of the system
 * @param timeoutMs for all tries together, 8 s by default
 */
export function queryNameServers({
  servers,
  timeoutMs = defaultTimeoutMs,
}: {
  servers: string[]
  timeoutMs?: number | undefined
}): (name: string) => Promise<Found<string>> {
  const resolverNow = servers.length > 0 ? fixed(servers) : ofSystem()
  return name => query(resolverNow(), name, timeoutMs)
}

function fixed(servers: string[]): () => dns.Resolver {
  const resolver = new dns.Resolver(trying)
  resolver.setServers(servers)
  return () => resolver
}

function ofSystem(): () => dns.Resolver {
  const make = () => new dns.Resolver(trying)
  let [resolver, madeAt] = [make(), performance.now()]
  return () => {
    if (performance.now() - madeAt > readAgainMs) [resolver, madeAt] = [make(), performance.now()]
    return resolver
  }
}

type AddressRecord = { address: string; ttl: number }

async function query(resolver: dns.Resolver, name: string, timeoutMs: number): Promise<Found<string>> {
  const late = Object.assign(new Error(`no name server answered for ${name}`), { code: 'ETIMEOUT' })
  const queries = [resolver.resolve4(name, { ttl: true }), resolver.resolve6(name, { ttl: true })] as const
  const [four, six] = await bothOf(queries, timeoutMs, late)
  const found: AddressRecord[] = [four, six].flatMap(result =>
    result.status === 'fulfilled' ? result.value : [],
  )
  if (found.length === 0 && four.status === 'rejected') {
    // A missing IPv4 address is not final if it is unknown whether the name has an IPv6 address.
    throw six.status === 'rejected' && four.reason.code === dns.NODATA ? six.reason : four.reason
  }
  const ttlSeconds = isWhole(four) && isWhole(six) ? Math.min(...found.map(({ ttl }) => ttl)) : 0
  return { addresses: found.map(({ address }) => address), ttlSeconds }
}

/**
 * Returns whether the query for one family succeeded, or found that there are no such addresses. Otherwise the
 * addresses of the other family are returned but not cached: the missing ones may be the reachable ones.
 */
const isWhole = (half: PromiseSettledResult<AddressRecord[]>): boolean =>
  half.status === 'fulfilled' || isAbsence(half.reason)

/**
 * Returns both results within `timeoutMs`, and within `otherMs` after the first success. A late result is rejected.
 */
async function bothOf<T>(
  [four, six]: readonly [Promise<T>, Promise<T>],
  timeoutMs: number,
  tooLate: Error,
): Promise<[PromiseSettledResult<T>, PromiseSettledResult<T>]> {
  const end = Promise.withResolvers<never>()
  const giveUpIn = (ms: number) => setTimeout(() => end.reject(tooLate), ms).unref()
  const timers = [giveUpIn(timeoutMs)]
  const hurry = () => void timers.push(giveUpIn(otherMs))
  for (const half of [four, six]) half.then(hurry, () => {})
  const inTime = (half: Promise<T>) => Promise.race([half, end.promise])
  const both = await Promise.allSettled([inTime(four), inTime(six)])
  for (const timer of timers) clearTimeout(timer)
  return both
}
