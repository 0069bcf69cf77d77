/** A web site of hostile and of plain pages, and the only proxy that leads to it, both on loopback. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'

export type Page = (request: http.IncomingMessage, response: http.ServerResponse) => void
export type Site = AsyncDisposable & {
  url: string
  /** Requested paths, in order. */
  requested: string[]
}

/**
 * Starts the site.
 * @param pages the pages by path; other paths respond with 404
 * @param tls key and certificate, for https
 */
export async function startSite(
  pages: Record<string, string | Page>,
  host = '127.1.0.61',
  tls?: { key: string; cert: string },
): Promise<Site> {
  const requested: string[] = []
  const answer: http.RequestListener = (request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    requested.push(request.url ?? '/')
    const page = pages[path]
    if (typeof page === 'function') return page(request, response)
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(page ?? 'nothing here')
  }
  const server = tls ? https.createServer(tls, answer) : http.createServer(answer)
  server.on('upgrade', (request, socket) => {
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
    const accept = createHash('sha1').update(key).digest('base64')
    const head = [
      'HTTP/1.1 101 x',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${accept}`,
    ]
    socket.on('error', () => {}).write(`${head.join('\r\n')}\r\n\r\n`)
    socket.resume()
  })
  const port = await listening(server, host)
  return {
    url: `${tls ? 'https' : 'http'}://${host}:${port}`,
    requested: requested,
    [Symbol.asyncDispose]: () => closed(server),
  }
}

export type ForwardProxy = AsyncDisposable & {
  server: string
  /** The target and the login of each connection or request. */
  requested: { target: string; login: string }[]
  /** Number of requests for a login. */
  challenges: number
}

/**
 * Starts a forward proxy that requires a login.
 * @param leadsTo whether the proxy connects to a `host:port`; by default it connects to every target
 */
export async function startForwardProxy(leadsTo = (_target: string) => true): Promise<ForwardProxy> {
  const proxy = { requested: [] as ForwardProxy['requested'], challenges: 0 }
  const isKnown = (request: http.IncomingMessage) => {
    const [, encoded = ''] = (request.headers['proxy-authorization'] ?? '').split(' ')
    const login = Buffer.from(encoded, 'base64').toString()
    if (login) proxy.requested.push({ target: request.url ?? '', login })
    else proxy.challenges++
    return login !== ''
  }
  const challenge = { 'Proxy-Authenticate': 'Basic realm="test"' }
  const server = http.createServer((request, response) => {
    if (!isKnown(request)) return void response.writeHead(407, challenge).end()
    if (!leadsTo(URL.parse(request.url ?? '')?.host ?? '')) return void response.writeHead(403).end()
    const { 'proxy-authorization': _, ...headers } = request.headers
    const onward = http.request(request.url ?? '', { method: request.method, headers }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.on('error', () => response.destroy()).pipe(response)
    })
    onward.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  })
  server.on('connect', (request, client: net.Socket) => {
    client.on('error', () => client.destroy())
    if (!isKnown(request)) {
      client.end('HTTP/1.1 407 x\r\nProxy-Authenticate: Basic realm="test"\r\nContent-Length: 0\r\n\r\n')
      return
    }
    if (!leadsTo(request.url ?? '')) return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    const [host = '', port = ''] = (request.url ?? '').split(':')
    const onward = net.connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      client.pipe(onward).pipe(client)
    })
    onward.on('error', () => client.end('HTTP/1.1 502 x\r\n\r\n')).on('close', () => client.end())
    client.on('close', () => onward.destroy())
  })
  const port = await listening(server, '127.0.0.1')
  return Object.assign(proxy, {
    server: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => closed(server),
  })
}

const connections = new WeakMap<net.Server, Set<net.Socket>>()

async function listening(server: net.Server, host: string): Promise<number> {
  const open = new Set<net.Socket>()
  connections.set(server, open)
  server.on('connection', socket => open.add(socket.on('close', () => open.delete(socket))))
  server.listen(0, host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Closes a server with its open connections, including tunnels and web sockets. */
async function closed(server: net.Server): Promise<void> {
  server.close()
  for (const socket of connections.get(server) ?? []) socket.destroy()
}
