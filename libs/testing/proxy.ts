/**
 * Proxies for tests: HTTP CONNECT and SOCKS 5, with and without a login, that do as they should or misbehave
 * by name. Real servers on loopback, which remember what they were asked for.
 */
import { once } from 'node:events'
import net from 'node:net'
import tls from 'node:tls'
import { answerConnect } from './proxy-http.ts'
import { answerSocks } from './proxy-socks.ts'

/** What a proxy does instead of its work; see the tables of both kinds. */
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
  /** 0 for a free one. */
  port?: number
  login?: { user: string; password: string }
  fault?: ProxyFault | undefined
  /** Encrypts the way to it, with this certificate. */
  tls?: { key: string; cert: string }
}

export type TestProxy = AsyncDisposable & {
  /** `address:port`. */
  at: string
  port: number
  /** Its address with the login, as a client writes it. */
  url: string
  /** The `address:port` of every connection that it was asked for. */
  asked: string[]
  connections: { opened: number; open: number }
  /** Misbehaves from now on, or no longer. */
  behave(fault: ProxyFault | undefined): void
  close(): Promise<void>
}

/** What both kinds need to answer one client. */
export type Conversation = {
  client: net.Socket
  login: ProxyOptions['login']
  fault: ProxyFault | undefined
  /** Notes the wish and connects. */
  open(host: string, port: number): Promise<net.Socket>
}

export async function startProxy(options: ProxyOptions): Promise<TestProxy> {
  const { kind, host = '127.1.0.50', port = 0, login, tls: certificate } = options
  let { fault } = options
  const asked: string[] = []
  const connections = { opened: 0, open: 0 }
  const sockets = new Set<net.Socket>()
  const server = certificate ? tls.createServer(certificate) : net.createServer()

  const keep = (socket: net.Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    return socket
  }
  const open = async (targetHost: string, targetPort: number) => {
    asked.push(`${targetHost}:${targetPort}`)
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
    asked,
    connections,
    behave(next) {
      fault = next
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
