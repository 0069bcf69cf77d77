/**
 * The outgoing connections of one process, kept alive by origin and closed when idle. A client reaches the targets
 * that its guard allows, and nothing else.
 */
import { Agent, type Dispatcher } from 'undici'
import { type Connect, createConnect } from './connect.ts'
import { undiciConnector } from './connector.ts'
import type { Guard } from './guard.ts'
import type { Resolver } from './resolve.ts'
import type { Trust } from './secure.ts'

export type HttpClient = AsyncDisposable & {
  guard: Guard
  resolver: Resolver
  /** The same egress as a plain socket, for code that connects itself. */
  connect: Connect
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void
  /** Ends all connections, and all outstanding fetches with `aborted`. */
  close(): Promise<void>
}

export type ClientSettings = {
  guard: Guard
  resolver: Resolver
  /** Limit for resolving and TCP together, and the same again for TLS. */
  connectTimeoutMs: number
  connectionsPerOrigin: number
  trust?: Trust
  /** Replaces direct connections, for example by those of a proxy. */
  connect?: Connect
}

const idleMs = 4_000
const maxIdleMs = 30_000
const headerBytes = 65_536

/** Opens no connection yet. Targets that the guard rejects are never dialled. */
export function createClient(settings: ClientSettings): HttpClient {
  const { guard, resolver, connectTimeoutMs, connectionsPerOrigin, trust } = settings
  const connect = settings.connect ?? createConnect({ guard, resolver, timeoutMs: connectTimeoutMs })
  const agent = new Agent({
    connect: undiciConnector(connect, connectTimeoutMs, trust),
    connections: connectionsPerOrigin,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: maxIdleMs,
    maxHeaderSize: headerBytes,
    // The limit of the fetch covers these phases, so further timers are not needed.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const close = () => agent.destroy()
  const dispatch: HttpClient['dispatch'] = (options, handler) => void agent.dispatch(options, handler)
  return { guard, resolver, connect, dispatch, close, [Symbol.asyncDispose]: close }
}
