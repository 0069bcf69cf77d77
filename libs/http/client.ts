/**
 * Manages outgoing HTTP connections, which are kept alive by origin and closed when idle. A client connects only to
 * targets that its guard allows.
 */
import { Agent, type Client, type Dispatcher, Pool } from 'undici'
import { type Connect, createConnect } from './connect.ts'
import { undiciConnectors } from './connection/connector.ts'
import { type Connection, peerClient } from './connection/peer.ts'
import type { Trust } from './connection/secure.ts'
import type { Guard } from './guard.ts'
import type { Resolver } from './resolve.ts'

export type HttpClient = AsyncDisposable & {
  guard: Guard
  resolver: Resolver
  /** Opens a plain socket with the same guard, for code that does not use `dispatch`. */
  connect: Connect
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void
  /** Ends all connections, and all outstanding fetches with `aborted`. */
  close(): Promise<void>
}

export type ClientSettings = {
  guard: Guard
  resolver: Resolver
  /** Milliseconds for DNS and TCP together, and again as many for TLS. */
  connectTimeoutMs: number
  connectionsPerOrigin: number
  trust?: Trust
  /** Replaces direct connections, for example by those of a proxy. */
  connect?: Connect
}

const idleMs = 4_000
const maxIdleMs = 30_000
const headerBytes = 65_536

/** Returns a client. It opens no connection yet, and never dials a target that the guard rejects. */
export function createClient(settings: ClientSettings): HttpClient {
  const { guard, resolver, connectTimeoutMs, connectionsPerOrigin, trust } = settings
  const connect = settings.connect ?? createConnect({ guard, resolver, timeoutMs: connectTimeoutMs })
  const isDirect = settings.connect === undefined
  const connectorOf = undiciConnectors(connect, { tlsTimeoutMs: connectTimeoutMs, trust, isDirect })
  const openOne = (origin: URL, options: Client.Options) => {
    const connection: Connection = { peer: null }
    return peerClient(origin, { ...options, connect: connectorOf(connection) }, connection)
  }
  const agent = new Agent({
    // Options of the pools. Their clients, which open the connections, have their own `connect`.
    connect: connectorOf({ peer: null }),
    factory: (origin, options) => new Pool(origin, { ...options, factory: openOne }),
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
