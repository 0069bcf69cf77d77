/**
 * A web site for tests: serves the given pages, misbehaves by name (`/body-drip`, `/status/503`; see
 * origin-behaviours.ts), and records every request. A real server on a loopback address.
 */
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { behaviours } from './origin-behaviours.ts'

export type Page = string | { status?: number; headers?: http.OutgoingHttpHeaders; body?: string | Buffer }

/** A page of Cloudflare in place of the requested one. */
export const challenge: Page = {
  status: 403,
  headers: { 'cf-mitigated': 'challenge' },
  body: '<title>Just a moment...</title><p>Wait',
}

export type Hit = {
  method: string
  /** The path with its query, as sent. */
  path: string
  headers: http.IncomingHttpHeaders
  /** Milliseconds of the process clock. */
  at: number
}

export type Origin = AsyncDisposable & {
  /** The base URL without a trailing slash: `http://127.1.0.1:40123`. */
  url: string
  host: string
  port: number
  hits: Hit[]
  /** Number of connections so far (`opened`), and of connections that are open now (`open`). */
  connections: { opened: number; open: number }
  /** Serves further pages, by path without query. They replace pages with the same path. */
  site(pages: Record<string, Page>): void
  close(): Promise<void>
}

export type OriginOptions = {
  host?: string
  port?: number
  pages?: Record<string, Page>
  /** Serves HTTPS with this certificate. */
  tls?: { key: string; cert: string }
}

/**
 * Each test file has its own address. The system that test files share caches the robots.txt of an address and port for
 * an hour, and a later file may get the same port.
 */
const ownHost = process.env.SHARED_SYSTEM === undefined ? '127.1.0.1' : `127.1.${process.pid % 250}.250`

/** Starts the site on `host` and a free port. Closing the site ends every connection. */
export async function startOrigin(options: OriginOptions = {}): Promise<Origin> {
  const { host = ownHost, port = 0, pages = {}, tls } = options
  const served = new Map(Object.entries(pages))
  const sockets = new Set<Socket>()
  const origin = { hits: [] as Hit[], connections: { opened: 0, open: 0 } }
  const server = tls ? https.createServer(tls) : http.createServer()

  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    origin.connections.opened++
    origin.connections.open++
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      origin.connections.open--
    })
  })
  server.on('request', (request, response) => {
    const { method = '', url: path = '', headers } = request
    origin.hits.push({ method, path, headers, at: performance.now() })
    answer(request, response, served)
  })

  async function close() {
    const closed = new Promise<void>(resolve => server.close(() => resolve()))
    for (const socket of sockets) socket.destroy()
    await closed
  }

  server.listen(port, host)
  await once(server, 'listening')
  const bound = (server.address() as AddressInfo).port
  return {
    ...origin,
    url: `${tls ? 'https' : 'http'}://${host}:${bound}`,
    host,
    port: bound,
    site: more => Object.entries(more).forEach(([path, page]) => void served.set(path, page)),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function answer(request: http.IncomingMessage, response: http.ServerResponse, served: Map<string, Page>) {
  const url = new URL(request.url ?? '/', 'http://origin.test')
  const page = served.get(url.pathname)
  if (page !== undefined) return serve(response, page)
  const [, name = '', argument = ''] = url.pathname.split('/')
  const behave = Object.hasOwn(behaviours, name) ? behaviours[name] : undefined
  if (behave) behave({ request, response, argument, query: url.searchParams })
  else serve(response, { status: 404, body: 'no such page' })
}

function serve(response: http.ServerResponse, page: Page) {
  const { status = 200, headers = {}, body = '' } = typeof page === 'string' ? { body: page } : page
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body)
}
