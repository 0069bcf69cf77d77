/**
 * A proxy on this machine that is the only way out for whoever dials by itself: a browser, a client in native code.
 * Where it leads is judged like every connection of ours, name and address together and once. Nobody comes in
 * without the login of a session, so what else runs on the machine cannot use it.
 */
import { once } from 'node:events'
import http from 'node:http'
import type net from 'node:net'
import { forward, maxHead } from './filtering-forward.ts'
import { type FilteringSession, Session, type SessionOptions } from './filtering-session.ts'
import { tunnel, turnAway } from './filtering-tunnel.ts'

export type FilteringProxy = AsyncDisposable & {
  /** As `http://host:port`. */
  server: string
  session(options: SessionOptions): FilteringSession
}

/** Connections that come in, of all sessions and of those that have none. */
const maxClients = 2_048
/** For a head to be there, where nothing else is said. */
const usualHeadMs = 10_000
const requestMs = 120_000
const idleMs = 30_000

const challenge = 'Basic realm="sessions"'

/** On this machine alone, unless told. */
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
    else turnAway(client, '407 Proxy Authentication Required', `Proxy-Authenticate: ${challenge}`)
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

/** User and password of `Basic`; empty where there are none. */
function loginIn(field: string | undefined): [user: string, password: string] {
  const [, encoded = ''] = /^basic +([\w+/=-]{1,256})$/i.exec(field ?? '') ?? []
  const [user = '', password = ''] = Buffer.from(encoded, 'base64').toString().split(':')
  return [user, password]
}
