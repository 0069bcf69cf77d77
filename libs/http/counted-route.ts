/**
 * Opens the connections of one piece of work, directly or through one of the operator's proxies. Counts their bytes on
 * the wire, below TLS and including the handshakes with the proxy.
 */
import type net from 'node:net'
import type { ClientSettings } from './client.ts'
import { type Connect, createConnect } from './connect.ts'
import { createSecure } from './connection/secure.ts'
import { createProxiedConnect } from './proxies/proxied-connect.ts'
import { anywhere } from './proxies/proxy-clients.ts'
import type { ProxyServer } from './proxy.ts'

export type CountedRoute = {
  connect: Connect
  /** Bytes in both directions so far, of all connections. */
  moved(): number
}

type Settings = Pick<ClientSettings, 'guard' | 'resolver' | 'connectTimeoutMs' | 'trust'>

/**
 * Returns an egress with its own counter. Targets behind the proxy are judged as if dialled directly. The proxy itself
 * may have any address.
 */
export function countedRoute(settings: Settings, proxy: ProxyServer | null = null): CountedRoute {
  const { guard, resolver, connectTimeoutMs: timeoutMs, trust } = settings
  if (proxy === null) return counted(createConnect({ guard, resolver, timeoutMs }))
  const { connect: dial, moved } = counted(createConnect({ guard: anywhere, resolver, timeoutMs }))
  const secure = createSecure(timeoutMs, trust)
  return { connect: createProxiedConnect({ proxy, dial, secure, guard, resolver, timeoutMs }), moved }
}

function counted(dial: Connect): CountedRoute {
  const open = new Set<net.Socket>()
  let ofClosed = 0
  return {
    async connect(host, port) {
      const socket = await dial(host, port)
      open.add(socket)
      socket.once('close', () => {
        open.delete(socket)
        ofClosed += bytesOf(socket)
      })
      return socket
    },
    moved: () => [...open].reduce((sum, socket) => sum + bytesOf(socket), ofClosed),
  }
}

const bytesOf = (socket: net.Socket): number => socket.bytesRead + socket.bytesWritten
