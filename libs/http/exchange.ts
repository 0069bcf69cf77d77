/**
 * Sends one request and receives its response on one connection. The handler uses undici's dispatch interface without
 * a stream between the socket and the body, and ends the connection as soon as a limit is exceeded.
 */
import type { Dispatcher } from 'undici'
import type { HttpClient } from './client.ts'
import type { Connection, Peer, PeerHandler } from './connection/peer.ts'
import { FetchError } from './fetch-error.ts'
import { Gathered } from './gather.ts'
import { type Headers, joined } from './headers.ts'
import type { Limit } from './limit.ts'
import type { OutgoingRequest } from './outgoing-request.ts'
import { locationOf } from './redirect.ts'

export type Answer = {
  status: number
  headers: Headers
  body: Buffer
  location: string | null
  peer: Peer | null
}

// The body of a redirect is not needed. It is read only to keep the connection, and only if that is cheap.
const redirectBodyBytes = 16_384
const redirectBodyMs = 100
const maxInterimResponses = 16
const maxStaleConnections = 3

/**
 * Sends the request. Repeats it only if a kept connection turned out to be closed by the other side before the first
 * byte of the response (RFC 9112, 9.3.1), and if repeating it is harmless.
 */
export async function exchange(client: HttpClient, outgoing: OutgoingRequest, limit: Limit): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const handler = new Exchange(outgoing)
    try {
      return await handler.run(client, limit)
    } catch (error) {
      if (!handler.stale || outgoing.method === 'POST' || attempt === maxStaleConnections) throw error
    }
  }
}

class Exchange implements PeerHandler {
  stale = false
  connection: Connection | null = null
  readonly #outgoing: OutgoingRequest
  readonly #done = Promise.withResolvers<Answer>()
  #settled = false
  #failure: FetchError | null = null
  #controller: Dispatcher.DispatchController | null = null
  #begun = false
  #interim = 0
  #status = 0
  #headers: Headers = {}
  #peer: Peer | null = null
  #location: string | null = null
  #body: Gathered | null = null
  #redirectTimer: NodeJS.Timeout | undefined

  constructor(outgoing: OutgoingRequest) {
    this.#outgoing = outgoing
  }

  async run(client: HttpClient, limit: Limit): Promise<Answer> {
    if (limit.over) throw limit.over
    limit.stop = error => this.#fail(error)
    const { url, method, headers, body } = this.#outgoing
    client.dispatch({ origin: url.origin, path: url.pathname + url.search, method, headers, body }, this)
    try {
      return await this.#done.promise
    } finally {
      limit.stop = null
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    // The request waited too long for a connection. Throwing here removes it from the queue. Aborting it would close
    // a connection that other requests wait for.
    if (this.#failure) throw this.#failure
    this.#controller = controller
  }

  onResponseStarted() {
    this.#begun = true
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Parameters<typeof joined>[0]) {
    if (status < 200) return this.#onInterim()
    this.#status = status
    this.#headers = joined(headers)
    this.#peer = this.connection?.peer ?? null
    this.#location = locationOf(status, this.#headers)
    const hasBody = this.#outgoing.method !== 'HEAD' && status !== 204 && status !== 304
    const announced = hasBody ? Number(this.#headers['content-length']) || 0 : 0
    if (this.#location !== null) return this.#onRedirect()
    if (announced > this.#outgoing.maxBytes && !this.#outgoing.cuts) return this.#fail(this.#tooLarge())
    this.#body = new Gathered(this.#outgoing.maxBytes, announced)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer) {
    if (this.#body?.push(chunk) || this.#settled) return
    if (this.#location !== null) this.#leave()
    else if (this.#outgoing.cuts) this.#cut(chunk)
    else this.#fail(this.#tooLarge())
  }

  onResponseEnd() {
    this.#settle()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error) {
    if (this.#location !== null) return this.#settle()
    this.stale = !this.#begun && wasUsedBefore(error)
    this.#fail(FetchError.from(error))
  }

  #onInterim() {
    this.#begun = false
    if (++this.#interim > maxInterimResponses) {
      this.#fail(new FetchError('protocol', { because: 'too many interim responses', transient: false }))
    }
  }

  #onRedirect() {
    this.#body = new Gathered(redirectBodyBytes, 0)
    this.#redirectTimer = setTimeout(() => this.#leave(), redirectBodyMs)
  }

  #cut(chunk: Buffer) {
    this.#body?.fill(chunk)
    this.#leave()
  }

  #leave() {
    this.#settle()
    this.#controller?.abort(new FetchError('aborted'))
  }

  #settle() {
    if (this.#settled) return
    this.#settled = true
    clearTimeout(this.#redirectTimer)
    const body = this.#location === null && this.#body ? this.#body.take() : Buffer.alloc(0)
    const [status, headers, location, peer] = [this.#status, this.#headers, this.#location, this.#peer]
    this.#done.resolve({ status, headers, body, location, peer })
  }

  #fail(error: FetchError) {
    if (this.#settled) return
    this.#settled = true
    clearTimeout(this.#redirectTimer)
    this.#failure = error
    if (this.#status > 0) error.status = this.#status
    this.#done.reject(error)
    this.#controller?.abort(error)
  }

  #tooLarge(): FetchError {
    return new FetchError('too_large', { because: `more than ${this.#outgoing.maxBytes} bytes` })
  }
}

/** Returns whether the connection had carried a response before it was found closed. */
function wasUsedBefore(error: Error): boolean {
  const { socket } = error as { socket?: { bytesRead?: number } }
  return (socket?.bytesRead ?? 0) > 0
}
