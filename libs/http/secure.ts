/**
 * TLS over a connection that stands already: the host's own name goes into SNI and is what the certificate
 * must be for, whatever address was dialled.
 */
import net from 'node:net'
import tls from 'node:tls'
import { Bounded } from './bounded.ts'
import { inTime } from './connect.ts'
import { becauseOf, FetchError } from './fetch-error.ts'

/** How to trust: `ca` replaces the well known authorities, `rejectUnauthorized: false` trusts anybody. */
export type Trust = { ca?: string | string[]; rejectUnauthorized?: boolean }

/** Rejects with a FetchError `tls` or `timeout`; the socket is then destroyed. */
export type Secure = (socket: net.Socket, host: string, port: number) => Promise<tls.TLSSocket>

/** Tickets by host and port, so that a second connection skips most of the handshake. */
const maxSessions = 500

/** @param timeoutMs for the handshake alone */
export function createSecure(timeoutMs: number, trust: Trust = {}): Secure {
  const sessions = new Bounded<string, Buffer>(maxSessions)
  return (socket, host, port) => {
    const name = host.replace(/\.$/, '').replace(/^\[|\]$/g, '')
    const target = `${host}:${port}`
    const session = sessions.get(target)
    const secured = tls.connect({
      ...trust,
      socket,
      host: name,
      servername: net.isIP(name) ? '' : name,
      ALPNProtocols: ['http/1.1'],
      ...(session ? { session } : {}),
    })
    secured.on('session', ticket => void sessions.set(target, ticket))
    const ready = new Promise<tls.TLSSocket>((resolve, reject) => {
      secured.once('secureConnect', () => resolve(secured))
      secured.on('error', cause => reject(tlsError(target, cause)))
    })
    return inTime(timeoutMs, target, ready).catch(error => {
      secured.destroy()
      throw error
    })
  }
}

function tlsError(target: string, cause: Error): FetchError {
  const { code, transient } = FetchError.from(cause)
  return new FetchError('tls', {
    ...becauseOf(cause),
    cause,
    target,
    transient: code === 'protocol' && transient,
  })
}
