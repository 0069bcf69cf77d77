/**
 * A way out for one piece of work alone: directly, or by one of the operator's proxies. Its bytes are counted where
 * they cross the wire, below TLS and with all that was said to the proxy.
 */
import type net from 'node:net'
import type { ClientSettings } from './client.ts'
import { type Connect, createConnect } from './connect.ts'
import { createProxiedConnect } from './proxies/proxied-connect.ts'
import { anywhere } from './proxies/proxy-clients.ts'
import type { ProxyServer } from './proxy.ts'
import { createSecure } from './secure.ts'

export type CountedWay = {
  connect: Connect
  /** Bytes both ways until now, of all connections. */
  moved(): number
}

type Settings = Pick<ClientSettings, 'guard' | 'resolver' | 'connectTimeoutMs' | 'trust'>

/** What lies behind the proxy is judged as if it were dialled directly; the proxy itself may lie anywhere. */
export function countedWay(settings: Settings, proxy: ProxyServer | null = null): CountedWay {
  const { guard, resolver, connectTimeoutMs: timeoutMs, trust } = settings
  if (proxy === null) return counted(createConnect({ guard, resolver, timeoutMs }))
  const { connect: dial, moved } = counted(createConnect({ guard: anywhere, resolver, timeoutMs }))
  const secure = createSecure(timeoutMs, trust)
  return { connect: createProxiedConnect({ proxy, dial, secure, guard, resolver, timeoutMs }), moved }
}

function counted(dial: Connect): CountedWay {
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
