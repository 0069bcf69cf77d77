/**
 * Lets undici connect in no other way than by `connect`, and adds TLS: the host's own name goes into SNI and
 * is what the certificate must be for, whatever address was dialled.
 */
import net from 'node:net'
import tls from 'node:tls'
import type { buildConnector } from 'undici'
import { type Connect, inTime } from './connect.ts'
import { FetchError } from './fetch-error.ts'

/** How to trust: `ca` replaces the well known authorities, `rejectUnauthorized: false` trusts anybody. */
export type Trust = { ca?: string | string[]; rejectUnauthorized?: boolean }

const mostSessions = 500

/**
 * A connector for undici's `Agent({ connect })` or `ProxyAgent`.
 * @param tlsTimeoutMs for the TLS handshake alone
 */
export function undiciConnector(connect: Connect, tlsTimeoutMs = 10_000, trust: Trust = {}) {
  const sessions = createSessions()
  const connector: buildConnector.connector = ({ hostname, protocol, port }, callback) => {
    const secure = protocol === 'https:'
    open(hostname, Number(port) || (secure ? 443 : 80), secure).then(
      socket => callback(null, socket),
      (error: unknown) => callback(FetchError.from(error), null),
    )
  }

  async function open(host: string, port: number, secure: boolean): Promise<net.Socket> {
    const socket = await connect(host, port)
    return secure ? encrypt(socket, host, `${host}:${port}`) : socket
  }

  function encrypt(socket: net.Socket, host: string, target: string): Promise<tls.TLSSocket> {
    const name = host.replace(/\.$/, '')
    const session = sessions.get(target)
    const secured = tls.connect({
      ...trust,
      socket,
      host: name,
      servername: net.isIP(name) ? '' : name,
      ALPNProtocols: ['http/1.1'],
      ...(session ? { session } : {}),
    })
    secured.on('session', ticket => sessions.set(target, ticket))
    const ready = new Promise<tls.TLSSocket>((resolve, reject) => {
      secured.once('secureConnect', () => resolve(secured))
      secured.on('error', cause => reject(tlsError(target, cause)))
    })
    return inTime(tlsTimeoutMs, target, ready).catch(error => {
      secured.destroy()
      throw error
    })
  }

  return connector
}

function tlsError(target: string, cause: Error): FetchError {
  const { code, transient } = FetchError.from(cause)
  return new FetchError('tls', {
    because: cause.message,
    cause,
    target,
    transient: code === 'protocol' && transient,
  })
}

/** Session tickets by host and port, so that a second connection skips most of the handshake. */
function createSessions() {
  const kept = new Map<string, Buffer>()
  return {
    get: (target: string) => kept.get(target),
    set(target: string, ticket: Buffer) {
      kept.delete(target)
      kept.set(target, ticket)
      const oldest = kept.keys().next()
      if (kept.size > mostSessions && !oldest.done) kept.delete(oldest.value)
    },
  }
}
