/** Sends the errors that Node would send itself in the envelope of the API. */
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type ProblemCode, problems } from '@tidemark/contracts/problems'
import type { App } from '../../app.ts'
import { ApiProblem } from '../domain/problem.ts'
import { newRequestId, requestIdHeader } from './request-id.ts'
import { safetyHeaders } from './security.ts'

type Unreadable = Extract<ProblemCode, 'invalid_input' | 'timeout' | 'headers_too_large'>

const codes: Record<string, Unreadable> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'timeout',
}
const messages: Record<Unreadable, string> = {
  invalid_input: 'This is not a valid HTTP request.',
  timeout: 'The request did not arrive in time.',
  headers_too_large: `${problems.headers_too_large.message} Send long values in the body, if the endpoint accepts one.`,
}

/** Handles requests without exactly one Host (RFC 9112, 3.2) and those with an unknown Expect instead of Node. */
export function installProtocolRules(app: App): void {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const hosts = hostsOf(raw)
    if (hosts === 1 || (hosts === 0 && raw.httpVersion === '1.0')) return done()
    const message = `The Host header must occur once; it occurs ${hosts} times.`
    done(new ApiProblem('invalid_input', { message }))
  })
}

/** Counts Host headers. Node's parsed headers only have the first. */
function hostsOf({ rawHeaders }: IncomingMessage): number {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}

/** Answers bytes that are not an HTTP request, and closes the connection. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  socket.end(answer(codes[error.code ?? ''] ?? 'invalid_input'), () => socket.destroy())
}

function answer(code: Unreadable): string {
  const requestId = newRequestId()
  const { status } = problems[code]
  const body = JSON.stringify({ error: { code, message: messages[code], request_id: requestId } })
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `${requestIdHeader}: ${requestId}`,
    ...Object.entries(safetyHeaders).map(header => header.join(': ')),
    'connection: close',
    '',
    body,
  ].join('\r\n')
}
