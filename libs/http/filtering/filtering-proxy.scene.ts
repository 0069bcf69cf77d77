/** Clients of the filtering proxy that say exactly what a test wants. */
import { once } from 'node:events'
import net from 'node:net'
import type { FilteringProxy } from './filtering-proxy.ts'
import type { FilteringSession } from './filtering-session.ts'

export const loginOf = ({ username, password }: Pick<FilteringSession, 'username' | 'password'>): string =>
  `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}\r\n`

/** A connection to the proxy, and all that has come by it. */
export async function dial(proxy: FilteringProxy) {
  const socket = net.connect(Number(new URL(proxy.server).port), '127.0.0.1')
  let said = ''
  socket
    .on('error', () => {})
    .on('data', piece => {
      said += piece.toString('latin1')
    })
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
  await once(socket, 'connect')
  return {
    socket,
    closed,
    get said() {
      return said
    },
    /** All that came until the other side closed. */
    async whole(request: string): Promise<string> {
      socket.write(request, 'latin1')
      await closed
      return said
    },
  }
}

/** Says it on a connection of its own, and returns all that came until the other side closed. */
export const say = async (proxy: FilteringProxy, request: string): Promise<string> =>
  (await dial(proxy)).whole(request)
