/**
 * One question to a host, under the limits and headers that hold for all of them. A host that asks to be
 * left alone is left alone by everybody, whatever the answer is then taken for.
 */
import type { HttpClient } from '@tidemark/http/client'
import { acceptEncoding } from '@tidemark/http/decode'
import { type Fetched, fetchPage } from '@tidemark/http/fetch'
import { FetchError } from '@tidemark/http/fetch-error'
import type { Headers } from '@tidemark/http/headers'
import type { HostClock } from '../adapters/host-clock.ts'
import { requestHeaders } from '../domain/request-headers.ts'
import { backOffOf } from '../domain/retry-after.ts'

export type Asked = { fetched: Fetched; backOffMs: number | null } | { error: FetchError }

type AskOptions = {
  maxHops: number
  /** The run's own; they replace ours of the same name. */
  headers: Record<string, string>
  signal: AbortSignal
  /** Called when the request leaves, once its connection stands; also for redirects, and for another try. */
  onSent: () => void
}

/** Rejects only with the signal's reason. */
export type Ask = (url: string, options: AskOptions) => Promise<Asked>

type Options = {
  client: HttpClient
  clock: HostClock
  userAgent: string
  maxBytes: number
  timeoutMs: number
}

export function createAsk({ client, clock, userAgent, ...limits }: Options): Ask {
  const ours = requestHeaders(userAgent, acceptEncoding)
  return async (url, { maxHops, headers: own, signal, onSent }) => {
    const began = performance.now()
    try {
      const request = { url, headers: { ...ours, ...own }, maxHops, signal, ...limits }
      const fetched = await fetchPage(telling(client, onSent), request).catch(thrown =>
        redirectIn(thrown, maxHops, performance.now() - began),
      )
      const backOffMs = backOffOf(fetched.status, fetched.headers['retry-after'], Date.now())
      if (backOffMs !== null) await clock.backOff(new URL(fetched.url).host, backOffMs)
      return { fetched, backOffMs }
    } catch (thrown) {
      signal.throwIfAborted()
      return { error: FetchError.from(thrown) }
    }
  }
}

/** The client, telling when a request leaves. */
const telling = (client: HttpClient, onSent: () => void): HttpClient => ({
  ...client,
  dispatch(options, handler) {
    const start = handler.onRequestStart?.bind(handler)
    handler.onRequestStart = (...begun) => {
      onSent()
      start?.(...begun)
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
