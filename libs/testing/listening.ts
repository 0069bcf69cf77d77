/** Starts servers of tests on a free port of a loopback address. */
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo, Server } from 'node:net'

/**
 * Starts the server. `close` resolves when the server is closed. It also closes the open connections of an HTTP server.
 */
export async function listening(server: Server, host = '127.0.0.1') {
  await once(server.listen(0, host), 'listening')
  const { port } = server.address() as AddressInfo
  async function close(): Promise<void> {
    server.close()
    if (server instanceof http.Server) server.closeAllConnections()
    await once(server, 'close')
  }
  return { port, url: `http://${host}:${port}`, close, [Symbol.asyncDispose]: close }
}
