/**
 * Implements CONNECT of the filtering proxy (RFC 9110, 9.3.6): it passes all bytes through, to the judged host only.
 */
import type net from 'node:net'
import { FetchError } from '../fetch-error.ts'
import { portOf } from '../target.ts'
import type { Session } from './filtering-session.ts'

const statusOf = ({ code }: FetchError): string => {
  if (code === 'timeout') return '504 Gateway Timeout'
  const isForbidden = code === 'private_address' || code === 'blocked_domain' || code === 'bad_url'
  return isForbidden ? '403 Forbidden' : '502 Bad Gateway'
}

/** Rejects the client and closes the connection, even if the client does not. */
export function rejectClient(client: net.Socket, status: string, ...fields: string[]): void {
  const lines = [`HTTP/1.1 ${status}`, ...fields, 'Content-Length: 0', 'Connection: close', '', '']
  client.end(lines.join('\r\n'))
  client.destroySoon()
}

/**
 * Connects a client to its target, or rejects it with an HTTP status.
 * @param head bytes that the client sent after its request, for the target
 */
export async function tunnel(
  session: Session,
  authority: string,
  client: net.Socket,
  head: Buffer,
): Promise<void> {
  const target = readAuthority(authority)
  if (target === null) return rejectClient(client, '400 Bad Request')
  session.keep(client)
  try {
    const origin = await session.connect(target.hostname, portOf(target))
    client.write('HTTP/1.1 200 OK\r\n\r\n')
    origin.write(head)
    session.pass(head.length)
    join(client, origin, bytes => session.pass(bytes))
  } catch (thrown) {
    rejectClient(client, statusOf(FetchError.from(thrown)))
  }
}

/** Parses `host:port`, with the host normalised as in a URL. Returns null for any other text. */
function readAuthority(text: string): URL | null {
  return /^[^\s/?#@\\]+:\d{1,5}$/.test(text) ? URL.parse(`http://${text}/`) : null
}

/** Joins both sockets until one of them is closed. */
function join(client: net.Socket, origin: net.Socket, count: (bytes: number) => void): void {
  for (const [from, to] of [
    [client, origin],
    [origin, client],
  ] as const) {
    from.on('data', (piece: Buffer) => count(piece.length))
    from.pipe(to)
    from.once('close', () => (from.readableEnded ? to.destroySoon() : to.destroy()))
    if (from.closed) to.destroy()
  }
}
