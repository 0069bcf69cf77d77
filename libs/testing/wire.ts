/** A connection to a server that counts its bytes. */
import net from 'node:net'
import { listening } from './listening.ts'

export type Wire = AsyncDisposable & {
  /** Its address in the form `address:port`. Connections are forwarded to the server. */
  at: string
  /** Bytes so far, both directions together. */
  readonly bytes: number
}

export async function startWire(port: number, host: string): Promise<Wire> {
  let bytes = 0
  const server = net.createServer(client => {
    const target = net.connect(port, host)
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
      from.on('data', piece => {
        bytes += piece.length
      })
      from.pipe(to)
    }
  })
  const { port: front } = await listening(server, '127.1.0.70')
  return {
    at: `127.1.0.70:${front}`,
    get bytes() {
      return bytes
    },
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}
