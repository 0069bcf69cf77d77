/**
 * Runs a local proxy. It is the only egress of programs that open their own connections: a browser, or a native
 * client. It judges the host and the addresses of each target once, like all outgoing connections. Every request
 * needs the login of a session, so other programs on the machine cannot use the proxy.
 */
import { once } from 'node:events'
import http from 'node:http'
import type net from 'node:net'
import { forward, maxHead } from './filtering-forward.ts'
import { type FilteringSession, Session, type SessionOptions } from './filtering-session.ts'
import { rejectClient, tunnel } from './filtering-tunnel.ts'

export type FilteringProxy = AsyncDisposable & {
  /** The proxy's own URL, in the form `http://host:port`. */
  server: string
  session(options: SessionOptions): FilteringSession
}

/** Maximum number of incoming connections, of all sessions and of clients without one. */
const maxClients = 2_048
/** Default maximum milliseconds until a client has sent the head of a request. */
const usualHeadMs = 10_000
const requestMs = 120_000
const idleMs = 30_000

const challenge = 'Basic realm="sessions"'

/** Starts a proxy, by default on a free port of the loopback interface. */
export async function openFilteringProxy({
  headMs = usualHeadMs,
  host = '127.0.0.1',
  port = 0,
} = {}): Promise<FilteringProxy> {
  const sessions = new Map<string, Session>()
  const sessionOf = ({ headers }: http.IncomingMessage): Session | null => {
    const [user, password] = loginIn(headers['proxy-authorization'])
    const session = sessions.get(user)
    return session?.isOpenedBy(password) ? session : null
  }
  const server = http.createServer({
    maxHeaderSize: maxHead,
    headersTimeout: headMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: headMs / 10,
  })
  server.maxConnections = maxClients
  server.on('request', (request, response) => {
    const session = sessionOf(request)
    if (session) void forward(session, request, response)
    else response.writeHead(407, { 'Proxy-Authenticate': challenge }).end()
  })
  server.on('connect', (request, client: net.Socket, head) => {
    client.on('error', () => client.destroy())
    const session = sessionOf(request)
    if (session) void tunnel(session, request.url ?? '', client, head)
    else rejectClient(client, '407 Proxy Authentication Required', `Proxy-Authenticate: ${challenge}`)
  })
  server.on('clientError', (_error, client) => client.destroy())
  server.listen(port, host)
  await once(server, 'listening')

  return {
    server: `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as net.AddressInfo).port}`,
    session(options) {
      const session: Session = new Session(options, () => {
        if (sessions.get(session.username) === session) sessions.delete(session.username)
      })
      sessions.set(session.username, session)
      return session
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close().closeAllConnections()
      await Promise.all([...sessions.values()].map(session => session[Symbol.asyncDispose]()))
      await closed
    },
  }
}

/** Returns user and password of a `Proxy-Authorization: Basic` field, or empty strings. */
function loginIn(field: string | undefined): [user: string, password: string] {
  const [, encoded = ''] = /^basic +([\w+/=-]{1,256})$/i.exec(field ?? '') ?? []
  const [user = '', password = ''] = Buffer.from(encoded, 'base64').toString().split(':')
  return [user, password]
}
