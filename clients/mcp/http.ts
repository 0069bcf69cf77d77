/**
 * The MCP server over streamable HTTP, without sessions: each request has a server of its own, which ends with the
 * response. Browsers may call it from listed origins only, and only under its own names (DNS rebinding).
 */
import { isIP } from 'node:net'
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import { createMcpServer, type ServerOptions } from './server.ts'

export type Visitors = {
  /** Names of the hosts under which this server is reached. Addresses are always allowed, because no name leads to them. */
  hosts: readonly string[]
  /** Origins of pages that may call, such as `https://app.example.com`; `*`: all. */
  origins: readonly string[]
}

/** Responds to one request. The caller has authenticated it. */
export async function answerHttp(
  request: Request,
  parsedBody: unknown,
  { visitors, ...options }: ServerOptions & { visitors: Visitors },
): Promise<Response> {
  const refused = refusalOf(request, visitors)
  if (refused !== undefined) return refused
  const handler = createMcpHandler(() => createMcpServer(options), { onerror: () => {} })
  return handler.fetch(request, { parsedBody })
}

/**
 * Returns the rejection of a request whose Host is neither listed nor an IP address, or whose Origin is not listed;
 * undefined: the request is allowed.
 */
function refusalOf(request: Request, { hosts, origins }: Visitors): Response | undefined {
  const host = hostnameOf(`http://${request.headers.get('host') ?? ''}`)
  const isAddress = host !== undefined && isIP(host.replace(/^\[|\]$/g, '')) !== 0
  const refused = hostHeaderValidationResponse(request, isAddress ? [host] : [...hosts])
  if (refused !== undefined || origins.includes('*')) return refused
  const origin = request.headers.get('origin')
  const isListed = origin === null || origins.includes(origin)
  return isListed ? undefined : originValidationResponse(request, [])
}

const hostnameOf = (url: string): string | undefined => URL.parse(url)?.hostname
