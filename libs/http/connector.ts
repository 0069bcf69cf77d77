/** Makes undici connect only through `connect`, and adds TLS for the name of the host. */
import type net from 'node:net'
import type { buildConnector } from 'undici'
import type { Connect } from './connect.ts'
import { FetchError } from './fetch-error.ts'
import { readingInterimHeads } from './interim-heads.ts'
import { createSecure, type Trust } from './secure.ts'

/**
 * Returns a connector for undici's `Agent({ connect })`.
 * @param tlsTimeoutMs limit for the TLS handshake alone
 */
export function undiciConnector(connect: Connect, tlsTimeoutMs = 10_000, trust: Trust = {}) {
  const secure = createSecure(tlsTimeoutMs, trust)

  async function open(host: string, port: number, isSecure: boolean): Promise<net.Socket> {
    const socket = await connect(host, port)
    return isSecure ? secure(socket, host, port) : socket
  }

  const connector: buildConnector.connector = ({ hostname, protocol, port }, callback) => {
    const isSecure = protocol === 'https:'
    open(hostname, Number(port) || (isSecure ? 443 : 80), isSecure).then(
      socket => callback(null, readingInterimHeads(socket)),
      (error: unknown) => callback(FetchError.from(error), null),
    )
  }
  return connector
}
