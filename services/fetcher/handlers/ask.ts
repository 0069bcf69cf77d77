/**
 * One question to a host, under the limits and headers that hold for all of them. A host that asks to be left
 * alone is left alone by everybody, whatever the answer is then taken for; by its run alone where the customer may
 * have had a hand in the answer.
 */
import type { FetchOrders } from '@tidemark/contracts/work/fetch'
import { type Fetched, fetchPage } from '@tidemark/http/fetch'
import { FetchError } from '@tidemark/http/fetch-error'
import { forStrangers, type Headers } from '@tidemark/http/headers'
import { staysAtHome } from '@tidemark/http/redirect'
import type { HostClock } from '../adapters/host-clock.ts'
import { type Told, tellingClient } from '../adapters/telling-client.ts'
import type { WayOf } from '../adapters/ways.ts'
import type { BackOff } from '../domain/back-off.ts'
import type { Identify } from '../domain/identity.ts'
import { isInOurName, type Own } from '../domain/own-name.ts'
import { backOffOf } from '../domain/retry-after.ts'

export type Asked =
  | {
      fetched: Fetched
      backOffMs: number | null
      /** It was asked for only if it had changed. */
      isConditional?: boolean
    }
  | { error: FetchError }

/** On whose behalf: a run's orders, or a piece of work that somebody waits for. */
export type Behalf = Pick<FetchOrders, 'runId'> & Own

export type AskOptions = Told & {
  work: Behalf
  order: Parameters<WayOf>[1]
  /** Without it GET. */
  method?: 'GET' | 'HEAD'
  maxHops: number
  /** Most bytes of body over the wire, where that is not the usual. */
  maxBytes?: number
  /** What is longer is cut there, and is no error. */
  cuts?: boolean
  /** For everything together, where that is not the usual. */
  timeoutMs?: number
  /** The run's own; they replace ours of the same name. */
  headers: Record<string, string>
  signal: AbortSignal
}

/** Rejects only with the signal's reason. */
export type Ask = (url: string, options: AskOptions) => Promise<Asked>

type Options = {
  wayOf: WayOf
  clock: HostClock
  identify: Identify
  /** The entry of the blocklist that a URL's host falls under, or null. */
  findBlocked: (url: string) => string | null
  maxBytes: number
  timeoutMs: number
}

export function createAsk({ wayOf, clock, identify, findBlocked, ...limits }: Options): Ask {
  return async (url, { work, order, maxHops, headers: own, onSent, onAnswered, room, ...some }) => {
    const began = performance.now()
    try {
      using way = wayOf(work, order)
      const told = { onSent, onAnswered, room }
      const client = tellingClient(way.client, told, some.maxBytes ?? limits.maxBytes)
      const headersAt = headersOf(identify, work, own, url)
      const headersFor = (next: URL): Headers => {
        // Asked before each request, redirects included.
        refuseBlocked(findBlocked(next.href))
        return headersAt(next)
      }
      const request = {
        url,
        headers: headersFor(new URL(url)),
        headersFor,
        maxHops,
        ...limits,
        ...some,
      }
      const fetched = await fetchPage(client, request)
        .catch(thrown => redirectIn(thrown, maxHops, performance.now() - began))
        .catch(thrown => {
          throw way.failed(FetchError.from(thrown))
        })
      way.answered()
      const backOffMs = backOffOf(fetched.status, fetched.headers['retry-after'], Date.now())
      if (backOffMs !== null) await clock.backOff(whoLeaves(fetched.url, work), backOffMs)
      return { fetched, backOffMs }
    } catch (thrown) {
      some.signal.throwIfAborted()
      return { error: FetchError.from(thrown) }
    }
  }
}

/** Ours as that host knows us, and the run's own as far as they are meant for it. */
function headersOf(identify: Identify, work: AskOptions['work'], own: Headers, url: string) {
  const home = new URL(url)
  return (next: URL): Headers => {
    const theirs = next === home || staysAtHome(home, next) ? own : forStrangers(own)
    return { ...identify(work, theirs, next), ...theirs }
  }
}

/** @throws FetchError `blocked_domain` where there is an entry */
export function refuseBlocked(entry: string | null): void {
  if (entry !== null)
    throw new FetchError('blocked_domain', { because: `${entry} and all its subdomains are not crawled` })
}

/** Who is to leave the host of this address alone, when it asks for that. */
export function whoLeaves(url: string, work: Behalf): BackOff {
  const { host, protocol } = new URL(url)
  return { host, protocol, runId: isInOurName(work) ? null : work.runId }
}

const nothing = Buffer.alloc(0)

/** Where no redirect may be followed, the first one is the answer and not an error, whatever its address is worth. */
function redirectIn(thrown: unknown, maxHops: number, elapsedMs: number): Fetched {
  const { code, hops, target } = FetchError.from(thrown)
  const [first] = hops
  if (maxHops > 0 || first === undefined) throw thrown
  const headers: Headers = code === 'too_many_redirects' ? { location: target } : {}
  return { ...first, headers, body: nothing, encodings: [], hops: [], elapsedMs }
}
