/** Clients of the filtering proxy that send exact bytes. */
import { once } from 'node:events'
import net from 'node:net'
import type { FilteringProxy } from './filtering-proxy.ts'
import type { FilteringSession } from './filtering-session.ts'

export const loginOf = ({ username, password }: Pick<FilteringSession, 'username' | 'password'>): string =>
  `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}\r\n`

/** Opens a connection to the proxy, and returns it with all bytes that arrived on it. */
export async function dial(proxy: FilteringProxy) {
  const socket = net.connect(Number(new URL(proxy.server).port), '127.0.0.1')
  let received = ''
  socket
    .on('error', () => {})
    .on('data', piece => {
      received += piece.toString('latin1')
    })
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
  await once(socket, 'connect')
  return {
    socket,
    closed,
    get received() {
      return received
    },
    /** Returns everything that arrives until the other side closes. */
    async whole(request: string): Promise<string> {
      socket.write(request, 'latin1')
      await closed
      return received
    },
  }
}

/** Sends the request on a separate connection, and returns everything that arrives until the other side closes. */
export const say = async (proxy: FilteringProxy, request: string): Promise<string> =>
  (await dial(proxy)).whole(request)
