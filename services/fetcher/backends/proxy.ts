/**
 * Fetches by plain HTTP through a proxy of the installation. For a while, all processes use the same proxy for a
 * host. If it fails, the next one is tried at once. Each page has its own connections, so that its bytes are counted
 * separately.
 */
import { type ClientSettings, createClient } from '@tidemark/http/client'
import { countedRoute } from '@tidemark/http/counted-route'
import { FetchError } from '@tidemark/http/fetch-error'
import { hasPool, type ProxyPools } from '@tidemark/http/proxy-pools'
import { poolName, type TakeMember, type TakenMember } from '../adapters/pool-members.ts'
import type { Route, RouteOf } from '../adapters/routes.ts'
import type { SendRequest } from '../handlers/send-request.ts'
import type { Backend, BackendResult, ByOf } from './backend.ts'
import { requestOptions } from './http.ts'

type Ports = {
  pools: ProxyPools
  takeMember: TakeMember
  clients: ClientSettings
  /** Returns a plain HTTP fetch that uses the given choice of routes. */
  sendRequestBy: (routeOf: RouteOf) => SendRequest
}

/** Milliseconds for which a host keeps its proxy. */
const stickyMs = 600_000
const maxProxies = 3

export function proxyBackend({ pools, takeMember, clients, sendRequestBy }: Ports): Backend<ByOf<'proxy'>> {
  return async (request, { pool, country }, context) => {
    const choice = { pool, country }
    if (!hasPool(pools, choice)) return { error: noPool(poolName(choice)) }
    const options = requestOptions(request, context)
    const work = { ...options.work, proxyPool: choice }
    const key = `${new URL(request.url).host} ${Math.floor(Date.now() / stickyMs)}`
    let moved = 0
    for (let attempt = 1; ; attempt++) {
      const order = { key, attempt }
      const trip = openTrip(clients)
      const sendRequest = sendRequestBy(() => trip.by(takeMember(choice, order, request.projectId)))
      const response = await sendRequest(request.url, { ...options, work, order }).finally(trip.close)
      moved += trip.moved()
      if (attempt === maxProxies || !isProxysFault(response)) return resultOf(response, moved)
    }
  }
}

const noPool = (name: string): FetchError =>
  new FetchError('not_configured', { because: `PROXY_POOLS has no proxies for ${name}` })

const isProxysFault = (response: BackendResult): boolean =>
  'error' in response &&
  response.error.code === 'proxy' &&
  response.error.transient &&
  response.error.hops.length === 0

const resultOf = (response: BackendResult, moved: number): BackendResult =>
  'error' in response
    ? { error: withoutProxy(response.error) }
    : { ...response, fetched: { ...response.fetched, moved } }

/** Returns the error without its text if that contains the address of a proxy, which is private to the operator. */
function withoutProxy(error: FetchError): FetchError {
  const { code, transient, retryAfterMs, target, hops } = error
  if (!error.message.includes('://')) return error
  return Object.assign(new FetchError(code, { cause: error, transient, retryAfterMs, target }), { hops })
}

/**
 * Prepares one attempt. `by` opens a separate client for the chosen proxy. `moved` returns the bytes that this client
 * has moved.
 */
function openTrip(clients: ClientSettings) {
  let close = async () => {}
  let moved = () => 0
  return {
    by({ proxy, ...member }: TakenMember): Route {
      const route = countedRoute(clients, proxy)
      const client = createClient({ ...clients, connect: route.connect })
      ;({ close } = client)
      ;({ moved } = route)
      return { client, ...member }
    },
    close: () => close(),
    moved: () => moved(),
  }
}
