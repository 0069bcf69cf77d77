/**
 * Starts TLS on an existing connection. The name of the host is used for SNI and for the certificate, whatever the
 * dialled address.
 */
import { hash } from 'node:crypto'
import net from 'node:net'
import tls from 'node:tls'
import { Bounded } from '../bounded.ts'
import { causeTextOf, FetchError } from '../fetch-error.ts'
import { inTime } from '../limit.ts'

/** Trust settings: `ca` replaces the well-known authorities, `rejectUnauthorized: false` accepts any certificate. */
export type Trust = { ca?: string | string[]; rejectUnauthorized?: boolean }

/** `certificate`: SHA-256 of the host's certificate in DER, in hex; null if it sent none. */
export type Secured = { socket: tls.TLSSocket; certificate: string | null }

/** Returns the encrypted socket. Destroys the socket and rejects with a FetchError `tls` or `timeout` on failure. */
export type Secure = (socket: net.Socket, host: string, port: number) => Promise<Secured>

/** Maximum number of session tickets, kept by host and port. With one, a connection skips most of the handshake. */
const maxSessions = 500

/**
 * Returns a function that starts TLS.
 * @param timeoutMs limit for the handshake alone
 */
export function createSecure(timeoutMs: number, trust: Trust = {}): Secure {
  const sessions = new Bounded<string, Session>(maxSessions)
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
      ...(session ? { session: session.ticket } : {}),
    })
    // Read once and early: a ticket can arrive when the connection is closed already.
    let known: string | null = null
    const certificate = () => (known ??= certificateOf(secured, session))
    secured.on('session', ticket => void sessions.set(target, { ticket, certificate: certificate() }))
    const ready = new Promise<Secured>((resolve, reject) => {
      secured.once('secureConnect', () => resolve({ socket: secured, certificate: certificate() }))
      secured.on('error', cause => reject(tlsError(target, cause)))
    })
    return inTime(timeoutMs, target, ready).catch(error => {
      secured.destroy()
      throw error
    })
  }
}

/** A ticket, and the certificate of the handshake that it continues, because the host does not send it again. */
type Session = { ticket: Buffer; certificate: string | null }

function certificateOf(secured: tls.TLSSocket, session: Session | undefined): string | null {
  if (session && secured.isSessionReused()) return session.certificate
  const sent = secured.getPeerX509Certificate()
  return sent === undefined ? null : hash('sha256', sent.raw)
}

function tlsError(target: string, cause: Error): FetchError {
  const { code, transient } = FetchError.from(cause)
  return new FetchError('tls', {
    ...causeTextOf(cause),
    cause,
    target,
    transient: code === 'protocol' && transient,
  })
}
