/**
 * Caches DNS results: addresses for their TTL and at most a minute, absent names for half a minute. Other failures are
 * cached only for a moment, so that a retry sends a new query.
 */
import { Bounded } from './bounded.ts'

/** The addresses of a name and their TTL in seconds, as the name servers state it. */
export type Found<Address> = { addresses: Address[]; ttlSeconds: number }

type Answer<Address> = { until: number; addresses: Address[]; failure: unknown }

export type CacheSettings<Address> = {
  resolve: (name: string) => Promise<Found<Address>>
  /** Maximum number of concurrent lookups. Further ones are rejected at once with EAI_AGAIN. */
  maxUnderWay?: number
  /** Returns the current time in milliseconds. */
  now?: () => number
}

const maxSeconds = 60
const absentMs = 30_000
/** Milliseconds for other failures: less than any retry delay, and enough for all current requests to the site. */
const unknownMs = 500
const maxNames = 10_000
const defaultUnderWay = 1_000

/** Returns a cached lookup, which rejects with the (cached) failure. Concurrent lookups of a name share one query. */
export function cacheDnsLookups<Address>({
  resolve,
  maxUnderWay = defaultUnderWay,
  now = () => performance.now(),
}: CacheSettings<Address>): (name: string) => Promise<Address[]> {
  const answers = new Bounded<string, Answer<Address>>(maxNames)
  const underWay = new Map<string, Promise<Answer<Address>>>()

  async function lookUp(name: string): Promise<Answer<Address>> {
    try {
      const { addresses, ttlSeconds } = await resolve(name)
      const until = now() + Math.min(ttlSeconds, maxSeconds) * 1000
      return { until, addresses, failure: null }
    } catch (failure) {
      return { until: now() + (isAbsence(failure) ? absentMs : unknownMs), addresses: [], failure }
    }
  }

  function start(name: string): Promise<Answer<Address>> {
    if (underWay.size >= maxUnderWay) throw tooMany()
    const pending = lookUp(name).then(answer => {
      underWay.delete(name)
      answers.set(name, answer)
      return answer
    })
    underWay.set(name, pending)
    return pending
  }

  return async host => {
    const name = host.toLowerCase()
    const known = answers.get(name)
    const answer = known && now() < known.until ? known : await (underWay.get(name) ?? start(name))
    if (answer.failure !== null) throw answer.failure
    return answer.addresses
  }
}

const absences = new Set(['ENOTFOUND', 'ENODATA'])

/** Returns whether a name server stated that the name, or its address, does not exist. */
export const isAbsence = (failure: unknown): boolean =>
  failure instanceof Error && absences.has(String(Reflect.get(failure, 'code')))

const tooMany = () => Object.assign(new Error('too many DNS lookups are in progress'), { code: 'EAI_AGAIN' })
