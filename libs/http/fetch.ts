/**
 * Fetches one page: sends the request, follows redirects one by one, and enforces the limits of redirects, bytes and
 * time. Every redirect is parsed, and its connection judged, like the first URL.
 */
import type { HttpClient } from './client.ts'
import type { Peer } from './connection/peer.ts'
import { type Answer, exchange } from './exchange.ts'
import { FetchError, type Hop } from './fetch-error.ts'
import { encodingsOf, type Headers, sendable } from './headers.ts'
import { startLimit } from './limit.ts'
import type { OutgoingRequest } from './outgoing-request.ts'
import { follow } from './redirect.ts'
import { parseTarget } from './target.ts'

export type PageRequest = {
  url: string
  method?: OutgoingRequest['method']
  /** Sent unchanged, except those of the connection. See `headersFor` for redirects. */
  headers?: Headers
  body?: Buffer | string
  /** Maximum bytes of the encoded body. `decodeBody` limits the decoded size. */
  maxBytes: number
  /** Cuts longer bodies at `maxBytes`. Without it, a longer body is an error. */
  cuts?: boolean
  /** Maximum number of redirects to follow. */
  maxHops: number
  /** Limit for everything together, in milliseconds. */
  timeoutMs: number
  signal?: AbortSignal
  /**
   * Returns the headers for the target of a redirect. By default they are sent only to the original origin and its
   * https twin. Other origins receive only accept, accept-encoding, accept-language and user-agent.
   */
  headersFor?: (next: URL) => Headers
}

export type Fetched = {
  /** URL of the response, without fragment. */
  url: string
  status: number
  /** Names in lower case; repeated fields are joined by `, `, set-cookie by a line break. */
  headers: Headers
  /** The bytes as sent by the origin, in a separate buffer. */
  body: Buffer
  /** Content-Encoding in the order applied, as input of `decodeBody`. */
  encodings: string[]
  /** The redirects to `url`, in order. */
  hops: Hop[]
  elapsedMs: number
  /** The host that sent the response, if it came over an own connection. */
  peer?: Peer | null
}

/**
 * Returns any complete response, whatever its status, including a redirect without Location.
 * @throws FetchError with the failed URL in `target`, the earlier redirects in `hops`, and the headers of the last of them
 */
export async function fetchPage(client: HttpClient, request: PageRequest): Promise<Fetched> {
  const started = performance.now()
  using limit = startLimit(request.timeoutMs, request.signal)
  const journey: Journey = { request, hops: [], headers: {}, requested: new Set() }
  let at = request.url
  try {
    let outgoing = firstRequest(request)
    for (;;) {
      at = outgoing.url.href
      const answer = await exchange(client, outgoing, limit)
      if (answer.location === null) return fetched(at, answer, journey.hops, performance.now() - started)
      journey.headers = answer.headers
      outgoing = nextRequest(journey, outgoing, answer.status, answer.location)
    }
  } catch (thrown) {
    throw located(thrown, at, journey)
  }
}

type Journey = { request: PageRequest; hops: Hop[]; headers: Headers; requested: Set<string> }

function firstRequest(request: PageRequest): OutgoingRequest {
  const { url, method = 'GET', headers = {}, body = '', maxBytes, cuts = false } = request
  const target = withoutFragment(parseTarget(url))
  return {
    cuts,
    url: target,
    method,
    headers: sendable(headers),
    body: method === 'POST' || method === 'PUT' ? body : null,
    maxBytes,
  }
}

function nextRequest(
  journey: Journey,
  outgoing: OutgoingRequest,
  status: number,
  location: string,
): OutgoingRequest {
  const { request, hops, requested } = journey
  hops.push({ url: outgoing.url.href, status })
  requested.add(`${outgoing.method} ${outgoing.url.href}`)
  const next = follow(outgoing, status, location)
  const target = withoutFragment(next.url).href
  if (hops.length > request.maxHops || requested.has(`${next.method} ${target}`)) {
    throw new FetchError('too_many_redirects', { because: `after ${hops.length}`, target })
  }
  return request.headersFor ? { ...next, headers: sendable(request.headersFor(next.url)) } : next
}

function fetched(url: string, answer: Answer, hops: Hop[], elapsedMs: number): Fetched {
  const { status, headers, body, peer } = answer
  return { url, status, headers, body, encodings: encodingsOf(headers), hops, elapsedMs, peer }
}

function located(thrown: unknown, at: string, { hops, headers }: Journey): FetchError {
  const error = FetchError.from(thrown)
  if (!error.target.includes('://')) error.target = at
  return Object.assign(error, { hops, headers })
}

function withoutFragment(url: URL): URL {
  if (url.hash !== '') url.hash = ''
  return url
}
