/**
 * The connections of one process to the outside, kept alive by origin and closed when idle. Whoever holds a
 * client can reach what its guard lets pass, and nothing else.
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
  /** The same egress as a bare socket: for whoever dials by himself. */
  connect: Connect
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void
  /** Ends every connection and every fetch that is still out (`aborted`). */
  close(): Promise<void>
}

export type ClientSettings = {
  guard: Guard
  resolver: Resolver
  /** For resolving and TCP together, and once more for TLS. */
  connectTimeoutMs: number
  connectionsPerOrigin: number
  trust?: Trust
  /** Reaches the targets in place of a direct connection: a proxy's. */
  connect?: Connect
}

const idleMs = 4_000
const maxIdleMs = 30_000
const headerBytes = 65_536

/** Connects to nobody yet; whoever the guard refuses is never dialled. */
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
    // One deadline rules a whole fetch; these two would only be timers beside it.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const close = () => agent.destroy()
  const dispatch: HttpClient['dispatch'] = (options, handler) => void agent.dispatch(options, handler)
  return { guard, resolver, connect, dispatch, close, [Symbol.asyncDispose]: close }
}
