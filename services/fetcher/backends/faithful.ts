/**
 * Fetches with a native client that has the fingerprint of a current browser: header order, HTTP/2 and TLS
 * ClientHello. It opens its own connections, so it connects only through a session of the filtering proxy. It follows
 * no redirects, so each hop is judged here.
 */

import type { FindBlocked } from '@tidemark/blocklist/open'
import type { ClientSettings } from '@tidemark/http/client'
import { type CountedRoute, countedRoute } from '@tidemark/http/counted-route'
import type { Fetched } from '@tidemark/http/fetch'
import { FetchError, type Hop } from '@tidemark/http/fetch-error'
import type { FilteringProxy } from '@tidemark/http/filtering/filtering-proxy'
import type { FilteringSession } from '@tidemark/http/filtering/filtering-session'
import { locationOf } from '@tidemark/http/redirect'
import { parseTarget } from '@tidemark/http/target'
import type { Impit, ImpitResponse } from 'impit'
import type { HostClock } from '../adapters/host-clock.ts'
import { createVisitCookies } from '../domain/visit-cookies.ts'
import { keepBackOff, refuseBlocked } from '../handlers/send-request.ts'
import type { Backend, ByOf, RequestContext } from './backend.ts'
import { browserProfileFor, fieldsFor } from './browser-profile.ts'
import { fieldsOf, readBody } from './faithful-answer.ts'
import { type FaithfulClients, faithfulClients } from './faithful-clients.ts'
import { errorOfImpit } from './faithful-errors.ts'

type Ports = {
  /** The only proxy through which it connects. */
  proxy: FilteringProxy
  clients: ClientSettings
  clock: HostClock
  findBlocked: FindBlocked
  /** Returns the user agent that replaces the browser's own; undefined: the browser's own is kept. */
  nameOf: (wished: string | undefined) => string | undefined
}

type PageRequest = Parameters<Backend>[0]

/** Maximum connections of a page: it needs one, and each redirect may need another. */
const maxConnections = 8
/** Maximum bytes of heads, handshakes and redirects, in addition to the body. */
const overheadBytes = 1024 ** 2
const maxAttempts = 3
/** The client's own timeout in milliseconds. The limits of the request abort earlier. */
const maxMs = 150_000

export function faithfulBackend({ clients, clock, ...ports }: Ports): Backend<ByOf<'faithful'>> {
  const visitPorts = { ...ports, clients: faithfulClients(ports.proxy.server) }
  return async (request, _by, context) => {
    const route = countedRoute(clients)
    try {
      const fetched = await visit({ ...visitPorts, route }, request, context)
      const backOffMs = await keepBackOff(clock, fetched, requesterOf(request))
      return { fetched: { ...fetched, moved: route.moved() }, backOffMs }
    } catch (thrown) {
      context.signal.throwIfAborted()
      return { error: FetchError.from(thrown) }
    }
  }
}

const requesterOf = ({ workId, userAgent }: PageRequest) => ({
  runId: workId,
  ...(userAgent !== undefined && { userAgent }),
})

type VisitPorts = Omit<Ports, 'clients' | 'clock'> & { route: CountedRoute; clients: FaithfulClients }

async function visit(
  { proxy, route, clients, ...walkPorts }: VisitPorts,
  request: PageRequest,
  context: RequestContext,
): Promise<Fetched> {
  const profile = browserProfileFor(request.workId, new URL(request.url).host)
  const client = await clients.take(profile)
  await using session = proxy.session({
    route,
    login: client.login,
    maxConnections,
    maxBytes: context.maxBytes + overheadBytes,
    timeoutMs: request.timeoutMs,
    signal: context.signal,
  })
  const fetched = await walk({ impit: client.impit, session, route, ...walkPorts }, request, context)
  clients.giveBack(profile, client)
  return fetched
}

const nothing = Promise.resolve(Buffer.alloc(0))

type Tools = Pick<Ports, 'findBlocked' | 'nameOf'> & {
  impit: Impit
  session: FilteringSession
  route: CountedRoute
}

async function walk(tools: Tools, request: PageRequest, context: RequestContext): Promise<Fetched> {
  const began = performance.now()
  const hops: Hop[] = []
  const cookies = createVisitCookies()
  const requested = new Set<string>()
  const name = tools.nameOf(request.userAgent)
  let at = withoutFragment(parseTarget(request.url))
  try {
    for (;;) {
      refuseBlocked(tools.findBlocked(at.href))
      requested.add(at.href)
      const response = await fetchHop(tools, at, fieldsFor(at, cookies.shown(at), name), context)
      const headers = fieldsOf(response)
      if (cookies.take(at, response.headers.getSetCookie(), Date.now())) requested.clear()
      const { status } = response
      const location = locationOf(status, headers)
      if (location === null || request.maxHops === 0) {
        const reading = location === null ? readBody(response, request.cuts, context) : nothing
        const body = await reading.catch(rethrowing(tools.session, at))
        return {
          url: at.href,
          status,
          headers,
          hops,
          body,
          encodings: [],
          elapsedMs: performance.now() - began,
        }
      }
      hops.push({ url: at.href, status })
      at = withoutFragment(parseTarget(URL.parse(location, at.href)?.href ?? location))
      if (hops.length > request.maxHops || requested.has(at.href))
        throw new FetchError('too_many_redirects', { because: `after ${hops.length}`, target: at.href })
    }
  } catch (thrown) {
    throw located(thrown, at, hops)
  }
}

async function fetchHop(
  { impit, session, route }: Tools,
  url: URL,
  headers: Record<string, string>,
  { signal, onSent, onResponse }: RequestContext,
): Promise<ImpitResponse> {
  const before = route.moved()
  // A kept connection ended with the previous session, and the client may notice that too late.
  const isStale = () => route.moved() === before && session.refusals.length === 0 && session.over === null
  onSent()
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await impit.fetch(url.href, { headers, signal, timeout: maxMs })
      onResponse()
      return response
    } catch (thrown) {
      if (attempt === maxAttempts || signal.aborted || !isStale()) return rethrowing(session, url)(thrown)
    }
  }
}

/** Throws the refusal of the proxy, if any, because it describes the fault better than the client's own error. */
const rethrowing =
  (session: FilteringSession, { hostname }: URL) =>
  (thrown: unknown): never => {
    if (thrown instanceof FetchError) throw thrown
    const refused = session.refusals.find(({ host }) => host === hostname)
    throw session.over ?? refused?.error ?? errorOfImpit(thrown)
  }

function located(thrown: unknown, at: URL, hops: Hop[]): FetchError {
  const error = FetchError.from(thrown)
  if (!error.target.includes('://')) error.target = at.href
  error.hops = hops
  return error
}

function withoutFragment(url: URL): URL {
  url.hash = ''
  return url
}
