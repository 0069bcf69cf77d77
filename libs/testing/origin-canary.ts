/**
 * Listens where no connection may arrive: on 127.0.0.1 and, if the machine has it, ::1, on one port. A test of the
 * egress checks that `hits` is still 0 at its end. First it shows that `hits` increases without the guard.
 */
import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'

export type Canary = AsyncDisposable & { port: number; hits: number; close(): Promise<void> }

export async function startCanary(): Promise<Canary> {
  const sockets = new Set<Socket>()
  const listen = async (host: string, wanted: number) => {
    const server = net.createServer(socket => {
      canary.hits++
      sockets.add(socket.on('error', () => {}))
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\nsecret')
    })
    server.listen(wanted, host)
    await once(server, 'listening')
    return server
  }

  const four = await listen('127.0.0.1', 0)
  const taken = (four.address() as AddressInfo).port
  const six = await listen('::1', taken).catch(() => null)

  async function close() {
    for (const socket of sockets) socket.destroy()
    const servers = [four, six].filter(server => server !== null)
    await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))))
  }
  const canary: Canary = { port: taken, hits: 0, close, [Symbol.asyncDispose]: close }
  return canary
}
