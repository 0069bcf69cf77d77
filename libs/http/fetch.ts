/**
 * Fetches one page: asks, follows redirects hop by hop, and keeps to its limits of hops, bytes and time
 * whatever the other side does. Every hop is read, and its connection judged, as if it were the first.
 */
import type { HttpClient } from './client.ts'
import { type Answer, exchange } from './exchange.ts'
import { FetchError, type Hop } from './fetch-error.ts'
import { encodingsOf, type Headers, sendable } from './headers.ts'
import { startLimit } from './limit.ts'
import type { Question } from './question.ts'
import { follow } from './redirect.ts'
import { parseTarget } from './target.ts'

export type PageRequest = {
  url: string
  method?: 'GET' | 'HEAD' | 'POST'
  /** Sent as they are, but for those that belong to the connection; see `headersFor` for redirects. */
  headers?: Headers
  body?: Buffer | string
  /** Most bytes of body as they come over the wire; what they decode to is decodeBody's to limit. */
  maxBytes: number
  /** A longer body is taken as far as that; without it, it is an error. */
  cuts?: boolean
  /** Most redirects that are followed. */
  maxHops: number
  /** For everything together, in milliseconds. */
  timeoutMs: number
  signal?: AbortSignal
  /** Asked before each redirect; false ends the fetch as `out_of_scope`. */
  mayFollow?: (next: URL) => boolean
  /**
   * The headers for a redirect's address. Without it they stay on the origin they were meant for (and its
   * https twin); a stranger is told only accept, accept-encoding, accept-language and user-agent.
   */
  headersFor?: (next: URL) => Headers
}

export type Fetched = {
  /** Where the answer came from, without fragment. */
  url: string
  status: number
  /** Names in lower case; repeated fields joined by `, `, set-cookie by a line break. */
  headers: Headers
  /** The bytes as the origin sent them, in a buffer of their own. */
  body: Buffer
  /** Content-Encoding in the order applied: what `decodeBody` takes. */
  encodings: string[]
  /** The redirects that led here, in order. */
  hops: Hop[]
  elapsedMs: number
}

/**
 * Any complete answer is a result, whatever its status; a redirect without Location too.
 * @throws FetchError, with the address it happened at in `target` and the redirects before it in `hops`
 */
export async function fetchPage(client: HttpClient, request: PageRequest): Promise<Fetched> {
  const started = performance.now()
  using limit = startLimit(request.timeoutMs, request.signal)
  const journey: Journey = { request, hops: [], asked: new Set() }
  let at = request.url
  try {
    let question = firstQuestion(request)
    for (;;) {
      at = question.url.href
      const answer = await exchange(client, question, limit)
      if (answer.location === null) return fetched(at, answer, journey.hops, performance.now() - started)
      question = nextQuestion(journey, question, answer.status, answer.location)
    }
  } catch (thrown) {
    throw located(thrown, at, journey.hops)
  }
}

type Journey = { request: PageRequest; hops: Hop[]; asked: Set<string> }

function firstQuestion(request: PageRequest): Question {
  const { url, method = 'GET', headers = {}, body = '', maxBytes, cuts = false } = request
  const target = withoutFragment(parseTarget(url))
  return {
    cuts,
    url: target,
    method,
    headers: sendable(headers),
    body: method === 'POST' ? body : null,
    maxBytes,
  }
}

function nextQuestion(journey: Journey, question: Question, status: number, location: string): Question {
  const { request, hops, asked } = journey
  hops.push({ url: question.url.href, status })
  asked.add(`${question.method} ${question.url.href}`)
  const next = follow(question, status, location)
  const target = withoutFragment(next.url).href
  if (hops.length > request.maxHops || asked.has(`${next.method} ${target}`)) {
    throw new FetchError('too_many_redirects', { because: `after ${hops.length}`, target })
  }
  if (request.mayFollow?.(next.url) === false)
    throw new FetchError('out_of_scope', { because: target, target })
  return request.headersFor ? { ...next, headers: sendable(request.headersFor(next.url)) } : next
}

function fetched(url: string, { status, headers, body }: Answer, hops: Hop[], elapsedMs: number): Fetched {
  return { url, status, headers, body, encodings: encodingsOf(headers), hops, elapsedMs }
}

function located(thrown: unknown, at: string, hops: Hop[]): FetchError {
  const error = FetchError.from(thrown)
  if (error.target === '' || !error.target.includes('://')) error.target = at
  error.hops = hops
  return error
}

function withoutFragment(url: URL): URL {
  if (url.hash !== '') url.hash = ''
  return url
}
