/**
 * Sends one request to a host, with the limits and headers that apply to all requests. If the host requests a
 * back-off, all runs keep it. If the customer may have influenced the response, only the customer's run keeps it.
 */
import type { FindBlocked } from '@tidemark/blocklist/open'
import type { FetchOrders } from '@tidemark/contracts/work/fetch'
import { reportedHeaders } from '@tidemark/contracts/work/page'
import { type Fetched, fetchPage } from '@tidemark/http/fetch'
import { FetchError } from '@tidemark/http/fetch-error'
import { forOtherOrigins, type Headers } from '@tidemark/http/headers'
import { keepsOrigin } from '@tidemark/http/redirect'
import type { SignRequest } from '@tidemark/http-signatures/web-bot-auth'
import type { HostClock } from '../adapters/host-clock.ts'
import { type RequestCallbacks, reportingClient } from '../adapters/reporting-client.ts'
import type { RouteOf } from '../adapters/routes.ts'
import { headersOf } from '../domain/headers-of.ts'
import type { Identify } from '../domain/identity.ts'
import { isInOurName, type Own } from '../domain/own-name.ts'
import { backOffOf } from '../domain/retry-after.ts'
import { isSignable } from '../domain/signable.ts'

export type RequestResult =
  | {
      fetched: Fetched
      backOffMs: number | null
      /** Whether the request was conditional. */
      isConditional?: boolean
    }
  | { error: FetchError }

/** The run, or the synchronous request, on whose behalf a request is sent, with its project if that is known. */
export type Requester = Pick<FetchOrders, 'runId'> & Partial<Pick<FetchOrders, 'projectId'>> & Own

export type RequestOptions = RequestCallbacks & {
  work: Requester
  order: Parameters<RouteOf>[1]
  /** GET by default. */
  method?: 'GET' | 'HEAD'
  maxHops: number
  /** Maximum bytes of the body on the wire. It replaces the default limit, and may be higher. */
  maxBytes?: number
  /** A longer body is truncated, which is not an error. */
  cuts?: boolean
  /** Milliseconds for the whole fetch, instead of the default. */
  timeoutMs?: number
  /** The run's own headers. They replace ours of the same name. */
  headers: Record<string, string>
  signal: AbortSignal
}

/** Fetches a URL, and returns the response or the error. Rejects only with the signal's reason. */
export type SendRequest = (url: string, options: RequestOptions) => Promise<RequestResult>

type Options = {
  routeOf: RouteOf
  clock: HostClock
  identify: Identify
  /** Signs requests in the crawler's own name; null: none is signed. */
  sign: SignRequest | null
  /** Returns the blocklist entry that covers the host of a URL, or null. */
  findBlocked: FindBlocked
  maxBytes: number
  timeoutMs: number
}

export function createSendRequest({
  routeOf,
  clock,
  findBlocked,
  identify,
  sign,
  ...limits
}: Options): SendRequest {
  return async (
    url,
    { work, order, maxHops, headers: runHeaders, onSent, onResponse, bodyMemory, ...overrides },
  ) => {
    const began = performance.now()
    try {
      using route = routeOf(work, order)
      const listener = { onSent, onResponse, bodyMemory }
      const client = reportingClient(route.client, listener, overrides.maxBytes ?? limits.maxBytes)
      const headersAt = headersBy({ identify, sign }, work, runHeaders, url)
      const headersFor = (next: URL): Headers => {
        // Checked before each request, including redirects.
        refuseBlocked(findBlocked(next.href))
        return headersAt(next)
      }
      const request = {
        url,
        headers: headersFor(new URL(url)),
        headersFor,
        maxHops,
        ...limits,
        ...overrides,
      }
      const fetched = await fetchPage(client, request)
        .catch(thrown => redirectIn(thrown, maxHops, performance.now() - began))
        .catch(thrown => {
          throw route.failed(FetchError.from(thrown))
        })
      route.succeeded()
      return { fetched, backOffMs: await keepBackOff(clock, fetched, work) }
    } catch (thrown) {
      overrides.signal.throwIfAborted()
      return { error: FetchError.from(thrown) }
    }
  }
}

/**
 * Returns a function that returns the headers for a URL: the crawler's, those of the run that it may receive, and the
 * signature for its authority.
 */
function headersBy(
  { identify, sign }: Pick<Options, 'identify' | 'sign'>,
  work: RequestOptions['work'],
  runHeaders: Headers,
  url: string,
) {
  const home = new URL(url)
  const signer = sign !== null && isSignable(work, runHeaders) ? sign : null
  return (next: URL): Headers => {
    const sentRunHeaders = next === home || keepsOrigin(home, next) ? runHeaders : forOtherOrigins(runHeaders)
    return { ...identify(work, sentRunHeaders, next), ...sentRunHeaders, ...signer?.(next.host) }
  }
}

/** Checks the result of the blocklist. @throws FetchError `blocked_domain` if there is an entry */
export function refuseBlocked(entry: string | null): void {
  if (entry !== null)
    throw new FetchError('blocked_domain', { because: `${entry} and its subdomains are on the blocklist` })
}

/**
 * Records the back-off that a response requests, for the run of `work` or for all runs. Returns its milliseconds; null:
 * the response requests none.
 */
export async function keepBackOff(
  clock: Pick<HostClock, 'backOff'>,
  { url, status, headers }: Pick<Fetched, 'url' | 'status' | 'headers'>,
  work: Requester,
): Promise<number | null> {
  const backOffMs = backOffOf(status, headers['retry-after'], Date.now())
  if (backOffMs === null) return null
  const { host, protocol } = new URL(url)
  await clock.backOff({ host, protocol, runId: isInOurName(work) ? null : work.runId }, backOffMs)
  return backOffMs
}

const nothing = Buffer.alloc(0)

/**
 * Returns the first redirect as the result if redirects must not be followed, even if its target is invalid. The result
 * has only the headers about the page. The result has no body, so headers that describe a body are left out.
 */
function redirectIn(thrown: unknown, maxHops: number, elapsedMs: number): Fetched {
  const { code, hops, target, headers: sent } = FetchError.from(thrown)
  const [first] = hops
  if (maxHops > 0 || first === undefined) throw thrown
  const headers: Headers = headersOf(sent, reportedHeaders)
  if (code === 'too_many_redirects') headers.location = target
  return { ...first, headers, body: nothing, encodings: [], hops: [], elapsedMs }
}
