/** What Node would answer by itself, in words of its own: here it is answered in the envelope like all else. */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { App } from '../app.ts'
import { ApiProblem } from '../domain/problem.ts'
import { newRequestId, requestIdHeader } from './request-id.ts'

const statuses: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }
const messages: Record<number, string> = {
  400: 'This is not a valid HTTP request.',
  408: 'The request did not arrive in time.',
  431: 'The headers are larger than this server reads.',
}

/** Leaves to us a request without a Host (RFC 9112, 3.2), and one that expects what nobody knows. */
export function installProtocolRules(app: App): void {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const isWrong = raw.headers.host === undefined && raw.httpVersion === '1.1'
    done(isWrong ? new ApiProblem('invalid_input', { message: 'The Host header is missing.' }) : undefined)
  })
}

/** Answers what is no HTTP request at all, and hangs up. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  socket.end(answer(statuses[error.code ?? ''] ?? 400), () => socket.destroy())
}

function answer(status: number): string {
  const requestId = newRequestId()
  const code = status === 408 ? 'timeout' : 'invalid_input'
  const body = JSON.stringify({ error: { code, message: messages[status], request_id: requestId } })
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `${requestIdHeader}: ${requestId}`,
    'connection: close',
    '',
    body,
  ].join('\r\n')
}
