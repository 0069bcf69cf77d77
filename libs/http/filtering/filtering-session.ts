/**
 * Lets one piece of work use the filtering proxy, with its own login, egress and limits. Records its rejections, and
 * closes all its connections at its end.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type net from 'node:net'
import type { CountedRoute } from '../counted-route.ts'
import { FetchError } from '../fetch-error.ts'

export type Login = { username: string; password: string }

export type SessionOptions = {
  route: CountedRoute
  /** The login of a client that is reused by several sessions. Default: a new one. */
  login?: Login
  /** Rejects hosts in addition to the rules of the egress. Returns the reason, or null if the host may be requested. */
  judge?: (host: string) => FetchError | null
  /** Maximum number of concurrent connections. */
  maxConnections: number
  /** Maximum number of bytes, both directions together. */
  maxBytes: number
  /** Milliseconds until the session ends. Default: unlimited. */
  timeoutMs?: number
  signal?: AbortSignal
}

/** A failed or rejected connection. */
export type Refused = { host: string; error: FetchError }

export type FilteringSession = AsyncDisposable & {
  /** User and password for `Proxy-Authorization: Basic`. */
  readonly username: string
  readonly password: string
  /** Bytes on the wire so far, in both directions; final when the session is disposed. */
  readonly moved: number
  /** The first failed or rejected connection of each host, in order, for at most 64 hosts. */
  readonly refusals: readonly Refused[]
  /** Why the session ended: its timeout, its byte limit, its signal or its disposal. null: it has not ended. */
  readonly over: FetchError | null
}

const maxRefusals = 64

/** Returns an unguessable login. */
export const newLogin = (): Login => ({
  username: randomBytes(9).toString('base64url'),
  password: randomBytes(24).toString('base64url'),
})

export class Session implements FilteringSession {
  readonly username: string
  readonly password: string
  readonly #options: SessionOptions
  readonly #refusals = new Map<string, Refused>()
  readonly #sockets = new Set<net.Socket>()
  readonly #timer: NodeJS.Timeout | undefined
  readonly #onAbort = () => this.#end(new FetchError('aborted'))
  readonly #onDisposed: () => void
  #over: FetchError | null = null
  #connections = 0
  #passed = 0

  constructor(options: SessionOptions, onDisposed: () => void) {
    this.#options = options
    const { username, password } = options.login ?? newLogin()
    this.username = username
    this.password = password
    this.#onDisposed = onDisposed
    const { timeoutMs } = options
    const late = () => this.#end(new FetchError('timeout', { because: `after ${timeoutMs} ms` }))
    if (timeoutMs !== undefined) this.#timer = setTimeout(late, timeoutMs).unref()
    if (options.signal?.aborted) this.#onAbort()
    else options.signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  get moved(): number {
    return this.#options.route.moved()
  }

  get refusals(): readonly Refused[] {
    return [...this.#refusals.values()]
  }

  get over(): FetchError | null {
    return this.#over
  }

  /** Returns whether the password is correct, in constant time. */
  isOpenedBy(password: string): boolean {
    const [received, known] = [Buffer.from(password), Buffer.from(this.password)]
    return received.length === known.length && timingSafeEqual(received, known)
  }

  /** Connects to the host. The connection counts until it is closed. @throws FetchError, which is recorded */
  async connect(host: string, port: number): Promise<net.Socket> {
    try {
      const refusal = this.#over ?? this.#options.judge?.(host) ?? this.#crowded()
      if (refusal) throw refusal
      return await this.#dial(host, port)
    } catch (thrown) {
      const error = FetchError.from(thrown)
      this.recordRefusal(host, error)
      throw error
    }
  }

  /** Closes the socket when the session ends. */
  keep(socket: net.Socket): void {
    if (this.#over) socket.destroy()
    if (this.#sockets.has(socket)) return
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
  }

  /** Counts further bytes, and ends the session when they exceed its limit. */
  pass(bytes: number): void {
    this.#passed += bytes
    const { maxBytes } = this.#options
    if (this.#passed > maxBytes)
      this.#end(new FetchError('too_large', { because: `more than ${maxBytes} bytes in all` }))
  }

  recordRefusal(host: string, error: FetchError): void {
    if (this.#refusals.has(host) || this.#refusals.size >= maxRefusals) return
    this.#refusals.set(host, { host, error })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#onDisposed()
    const closed = [...this.#sockets].map(socket =>
      socket.closed ? null : new Promise(resolve => socket.once('close', resolve)),
    )
    this.#end(new FetchError('aborted'))
    await Promise.all(closed)
  }

  async #dial(host: string, port: number): Promise<net.Socket> {
    this.#connections += 1
    try {
      const socket = await this.#options.route.connect(host, port)
      this.#connections += 1
      socket.once('close', () => void this.#connections--)
      this.keep(socket)
      if (this.#over) throw this.#over
      return socket
    } finally {
      this.#connections -= 1
    }
  }

  #crowded(): FetchError | null {
    const { maxConnections } = this.#options
    if (this.#connections < maxConnections) return null
    return new FetchError('connect', { because: `more than ${maxConnections} connections at once` })
  }

  #end(error: FetchError): void {
    this.#over ??= error
    clearTimeout(this.#timer)
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
    for (const socket of this.#sockets) socket.destroy()
  }
}
