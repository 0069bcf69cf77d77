/** Makes undici connect only through `connect`, and adds TLS for the name of the host. */
import type { buildConnector } from 'undici'
import type { Connect } from '../connect.ts'
import { FetchError } from '../fetch-error.ts'
import { readingInterimHeads } from './interim-heads.ts'
import { type Connection, peerOf } from './peer.ts'
import { createSecure, type Trust } from './secure.ts'

type Settings = {
  /** Limit for the TLS handshake alone. */
  tlsTimeoutMs: number
  trust?: Trust | undefined
  /** Whether `connect` dials the host itself, and no proxy does. */
  isDirect: boolean
}

/**
 * Returns a function that returns connectors for undici's clients, which share TLS sessions. A connector sets the peer of
 * its connection.
 */
export function undiciConnectors(connect: Connect, { tlsTimeoutMs, trust, isDirect }: Settings) {
  const secure = createSecure(tlsTimeoutMs, trust)

  async function open(host: string, port: number, isSecure: boolean, connection: Connection) {
    const dialled = await connect(host, port)
    const secured = isSecure ? await secure(dialled, host, port) : null
    connection.peer = peerOf(isDirect ? dialled.remoteAddress : null, secured?.certificate)
    return secured?.socket ?? dialled
  }

  return (connection: Connection): buildConnector.connector =>
    ({ hostname, protocol, port }, callback) => {
      const isSecure = protocol === 'https:'
      open(hostname, Number(port) || (isSecure ? 443 : 80), isSecure, connection).then(
        socket => callback(null, readingInterimHeads(socket)),
        (error: unknown) => callback(FetchError.from(error), null),
      )
    }
}
