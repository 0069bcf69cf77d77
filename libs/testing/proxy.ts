/**
 * Proxies for tests: HTTP CONNECT and SOCKS 5, with and without a login, that work or misbehave by name. Real servers
 * on loopback, which record their requests.
 */
import { once } from 'node:events'
import net from 'node:net'
import tls from 'node:tls'
import { answerConnect } from './proxy-http.ts'
import { answerSocks } from './proxy-socks.ts'

/** The faults of a proxy. proxy-http.ts and proxy-socks.ts define them. */
export type ProxyFault =
  | 'hangs'
  | 'closes'
  | 'truncates'
  | 'drips'
  | 'endless'
  | 'garbage'
  | 'talkative'
  | 'refuses'
  | 'unreachable'
  | 'silent-tunnel'

export type ProxyOptions = {
  kind: 'http' | 'socks5'
  host?: string
  /** 0 for a free port. */
  port?: number
  login?: { user: string; password: string }
  fault?: ProxyFault | undefined
  /** Encrypts connections to the proxy with this certificate. */
  tls?: { key: string; cert: string }
}

export type TestProxy = AsyncDisposable & {
  /** Its address in the form `address:port`. */
  at: string
  port: number
  /** The URL with the login, as a client writes it. */
  url: string
  /** The `address:port` of every requested connection. */
  requested: string[]
  connections: { opened: number; open: number }
  /** Sets or removes a fault for later connections. */
  behave(fault: ProxyFault | undefined): void
  close(): Promise<void>
}

/** The inputs of both kinds for one client. */
export type Conversation = {
  client: net.Socket
  login: ProxyOptions['login']
  fault: ProxyFault | undefined
  /** Records the request and connects. */
  open(host: string, port: number): Promise<net.Socket>
}

export async function startProxy(options: ProxyOptions): Promise<TestProxy> {
  const { kind, host = '127.1.0.50', port = 0, login, tls: certificate } = options
  let { fault } = options
  const requested: string[] = []
  const connections = { opened: 0, open: 0 }
  const sockets = new Set<net.Socket>()
  const server = certificate ? tls.createServer(certificate) : net.createServer()

  const keep = (socket: net.Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    return socket
  }
  const open = async (targetHost: string, targetPort: number) => {
    requested.push(`${targetHost}:${targetPort}`)
    const target = keep(net.connect(targetPort, targetHost))
    await once(target, 'connect')
    return target
  }
  server.on(certificate ? 'secureConnection' : 'connection', (client: net.Socket) => {
    connections.opened += 1
    connections.open += 1
    keep(client).on('close', () => void connections.open--)
    const answer = kind === 'http' ? answerConnect : answerSocks
    answer({ client, login, fault, open }).catch(() => client.destroy())
  })

  server.listen(port, host)
  await once(server, 'listening')
  const bound = (server.address() as net.AddressInfo).port
  const user = login ? `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}@` : ''
  const close = async () => {
    const closed = new Promise<void>(resolve => server.close(() => resolve()))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return {
    at: `${host}:${bound}`,
    port: bound,
    url: `${kind === 'http' && certificate ? 'https' : kind}://${user}${host}:${bound}`,
    requested,
    connections,
    behave(next) {
      fault = next
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
