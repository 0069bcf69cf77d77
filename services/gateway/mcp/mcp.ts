/**
 * `POST /mcp`: the MCP server. Its tools call the public API of this gateway in the process, with the key and the address
 * of their client. So each call is authenticated, limited and logged like one from outside, and needs neither a second
 * connection nor the gateway's certificate.
 */

import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { oneOf } from '@tidemark/contracts/primitives'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../app.ts'
import { onResponseEnd } from '../http/requests/on-response-end.ts'

export type McpPorts = {
  /** Returns the public address; only known after listening. */
  publicUrl: () => string
  /** Further names under which clients reach the gateway. */
  hosts: readonly string[]
  /** Origins of web pages that may call; `*` means all. */
  origins: readonly string[]
  report: (error: unknown, requestId: string) => void
}

const querystring = Type.Object({
  tools: oneOf(['default', 'all'], {
    default: 'default',
    description: 'all: adds tools for monitors, actors, lists of crawls and the account.',
  }),
  text_only: oneOf(['true', 'false'], {
    default: 'false',
    description: 'true: answers without structuredContent, so that texts can be twice as long.',
  }),
})

const namesOfLoopback = ['localhost']
/** The SDK needs an address. Only its path is used. */
const here = 'http://gateway.invalid'

export function mcpRoutes(app: App, { publicUrl, hosts, origins, report }: McpPorts): void {
  const schema = { hide: true, querystring }
  app.post('/mcp', { schema }, async (request, reply) => {
    // The SDK is loaded only when an MCP client calls.
    const [{ answerHttp }, { openApi }] = await Promise.all([
      import('@tidemark/mcp/http'),
      import('@tidemark/mcp/api/api'),
    ])
    const left = new AbortController()
    onResponseEnd(reply.raw, () => left.abort())
    const apiKey = (request.headers.authorization ?? '').replace(/^bearer\s+/i, '')
    const own = URL.parse(publicUrl())
    const answer = await answerHttp(webRequest(request, left.signal), request.body, {
      api: openApi({ baseUrl: here, apiKey, fetch: insideFetch(app, request.clientIp) }),
      toolSet: request.query.tools,
      isTextOnly: request.query.text_only === 'true',
      report: error => report(error, request.id),
      visitors: {
        hosts: [...namesOfLoopback, ...hosts, ...(own ? [own.hostname] : [])],
        origins: [...origins, ...(own ? [own.origin] : [])],
      },
    })
    return sendAnswer(reply, answer)
  })
}

function webRequest({ headers }: FastifyRequest, signal: AbortSignal): Request {
  const given = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return new Request(`${here}/mcp`, { method: 'POST', headers: new Headers(given), signal })
}

function sendAnswer(reply: FastifyReply, { status, headers, body }: Response) {
  reply.code(status).headers(Object.fromEntries(headers))
  // `null` would be sent as JSON, and the answer to a notification has no body.
  return reply.send(body === null ? undefined : Readable.fromWeb(body as ReadableStream))
}

type InsideInit = {
  method?: string
  headers?: RequestInit['headers']
  body?: unknown
  signal?: AbortSignal | null
}

/** Returns a `fetch` whose requests the gateway handles itself, as if they came from this address. */
function insideFetch(app: App, remoteAddress: string) {
  return async (url: string, { method = 'GET', headers, body, signal }: InsideInit): Promise<Response> => {
    const { pathname, search } = new URL(url)
    const answer = await app.inject({
      method: method as 'GET',
      url: pathname + search,
      headers: Object.fromEntries(new Headers(headers)),
      remoteAddress,
      payloadAsStream: true,
      ...(typeof body === 'string' && { payload: body }),
      ...(signal && { signal }),
    })
    const given = Object.entries(answer.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ])
    const isEmpty = answer.statusCode === 204 || answer.statusCode === 304
    const stream = isEmpty
      ? null
      : (Readable.toWeb(answer.stream()) as unknown as NonNullable<RequestInit['body']>)
    return new Response(stream, { status: answer.statusCode, headers: given })
  }
}
