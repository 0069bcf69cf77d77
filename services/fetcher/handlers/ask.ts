/**
 * One question to a host, under the limits and headers that hold for all of them. A host that asks to be
 * left alone is left alone by everybody, whatever the answer is then taken for.
 */
import type { HttpClient } from '@tidemark/http/client'
import { type Fetched, fetchPage } from '@tidemark/http/fetch'
import { FetchError } from '@tidemark/http/fetch-error'
import { forStrangers, type Headers } from '@tidemark/http/headers'
import { staysAtHome } from '@tidemark/http/redirect'
import type { HostClock } from '../adapters/host-clock.ts'
import type { WayOf } from '../adapters/ways.ts'
import type { Identify } from '../domain/identity.ts'
import { backOffOf } from '../domain/retry-after.ts'

export type Asked = { fetched: Fetched; backOffMs: number | null } | { error: FetchError }

export type AskOptions = {
  /** On whose behalf: a run's orders, or a piece of work that somebody waits for. */
  work: Parameters<WayOf>[0] & Parameters<Identify>[0]
  order: Parameters<WayOf>[1]
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
  /** Called when the request leaves, once its connection stands; also for redirects, and for another try. */
  onSent: () => void
  /** Called when an answer begins. */
  onAnswered: () => void
}

/** Rejects only with the signal's reason. */
export type Ask = (url: string, options: AskOptions) => Promise<Asked>

type Options = {
  wayOf: WayOf
  clock: HostClock
  identify: Identify
  maxBytes: number
  timeoutMs: number
}

export function createAsk({ wayOf, clock, identify, ...limits }: Options): Ask {
  return async (url, { work, order, maxHops, headers: own, onSent, onAnswered, ...some }) => {
    const began = performance.now()
    try {
      using way = wayOf(work, order)
      const client = telling(way.client, onSent, onAnswered)
      const headersFor = headersOf(identify, work, own, url)
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
      if (backOffMs !== null) await clock.backOff(new URL(fetched.url).host, backOffMs)
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

/** The client, telling when a request leaves and when its answer begins. */
const telling = (client: HttpClient, onSent: () => void, onAnswered: () => void): HttpClient => ({
  ...client,
  dispatch(options, handler) {
    const start = handler.onRequestStart?.bind(handler)
    handler.onRequestStart = (...begun) => {
      onSent()
      start?.(...begun)
    }
    const started = handler.onResponseStarted?.bind(handler)
    handler.onResponseStarted = () => {
      onAnswered()
      started?.()
    }
    client.dispatch(options, handler)
  },
})

const nothing = Buffer.alloc(0)

/** Where no redirect may be followed, the first one is the answer and not an error, whatever its address is worth. */
function redirectIn(thrown: unknown, maxHops: number, elapsedMs: number): Fetched {
  const { code, hops, target } = FetchError.from(thrown)
  const [first] = hops
  if (maxHops > 0 || first === undefined) throw thrown
  const headers: Headers = code === 'too_many_redirects' ? { location: target } : {}
  return { ...first, headers, body: nothing, encodings: [], hops: [], elapsedMs }
}
