/**
 * Forwards plain HTTP requests of the filtering proxy, which are in absolute form (RFC 9112, 3.2.2). Each request has
 * its own connection, so no response can be attributed to another request. The parsers of both sides reject ambiguous
 * messages. A failed request gets no response at all, because a browser would show the proxy's error as the page.
 */
import http from 'node:http'
import type net from 'node:net'
import { pipeline } from 'node:stream'
import { FetchError } from '../fetch-error.ts'
import { portOf } from '../target.ts'
import type { Session } from './filtering-session.ts'

/** Maximum bytes of a head. */
export const maxHead = 65_536

const maxInterimAnswers = 16

// These fields belong to one connection (RFC 9110, 7.6.1), except `host`, which is set from the URL.
const ofConnection = new Set([
  'connection',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Forwards a request. Resolves when the proxy begins to send it, or has rejected it. */
export async function forward(
  session: Session,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const target = readTarget(request.url ?? '')
  if (target === null) return void response.writeHead(400).end()
  session.keep(request.socket)
  try {
    const socket = await session.connect(target.hostname, portOf(target))
    response.once('close', () => socket.destroy())
    if (response.destroyed) socket.destroy()
    pass({ session, request, response, target, socket })
  } catch {
    response.destroy()
  }
}

const readTarget = (text: string): URL | null => {
  const url = /^http:\/\//i.test(text) ? URL.parse(text) : null
  return url?.username === '' && url.password === '' ? url : null
}

type Passing = {
  session: Session
  request: http.IncomingMessage
  response: http.ServerResponse
  target: URL
  socket: net.Socket
}

function pass({ session, request, response, target, socket }: Passing): void {
  const fail = (thrown: unknown) => {
    // A client that disconnected is not a failure of the host.
    if (!request.socket.destroyed) session.recordRefusal(target.hostname, FetchError.from(thrown))
    socket.destroy()
    response.destroy()
  }
  const count = (piece: Buffer) => session.pass(piece.length)
  const outgoing = http.request({
    createConnection: () => socket,
    method: request.method ?? 'GET',
    path: target.pathname + target.search,
    headers: fieldsFor(request, target),
    maxHeaderSize: maxHead,
  })
  let interim = 0
  outgoing.on('information', () => {
    if (++interim > maxInterimAnswers) outgoing.destroy(new FetchError('protocol'))
  })
  outgoing.on('error', fail)
  outgoing.on('close', () => response.headersSent || fail(new FetchError('protocol')))
  outgoing.on('response', answer => {
    answer.on('data', count)
    response.sendDate = false
    try {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders))
      pipeline(answer, response, error => error && fail(error))
    } catch (thrown) {
      fail(thrown)
    }
  })
  request.on('data', count)
  request.pipe(outgoing)
}

/** Returns the header fields of the client in their order, with Host set to the judged target. */
function fieldsFor({ rawHeaders, headers }: http.IncomingMessage, target: URL): string[] {
  const chunked = headers['transfer-encoding'] === undefined ? [] : ['Transfer-Encoding', 'chunked']
  return ['Host', target.host, 'Connection', 'keep-alive', ...endToEnd(rawHeaders), ...chunked]
}

/** Returns names and values alternately, without connection fields and those that the Connection field lists. */
function endToEnd(raw: readonly string[]): string[] {
  const pairs = raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []))
  const named = pairs.filter(([name]) => name.toLowerCase() === 'connection')
  const dropped = new Set(
    named.flatMap(([, value]) => value.toLowerCase().split(',')).map(field => field.trim()),
  )
  const isKept = (name: string) => !ofConnection.has(name) && !dropped.has(name)
  return pairs.filter(([name]) => isKept(name.toLowerCase())).flat()
}
