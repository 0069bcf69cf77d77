/**
 * Chooses the route of a run's requests: direct, the proxy of the client, or a proxy of a pool. Targets behind a proxy
 * are judged like all others (libs/http).
 */
import type { FetchOrder, FetchOrders } from '@tidemark/contracts/work/fetch'
import type { HttpClient } from '@tidemark/http/client'
import { FetchError } from '@tidemark/http/fetch-error'
import type { ProxyClients } from '@tidemark/http/proxies/proxy-clients'
import { type ProxyServer, readProxy } from '@tidemark/http/proxy'
import type { Memoized } from '../domain/memoize.ts'
import type { TakeMember } from './pool-members.ts'

/** A route in use. Its reported result counts when it is disposed. */
export type Route = Disposable & {
  client: HttpClient
  /** Reports that a response came through the route. */
  succeeded(): void
  /** Reports that no response came. Returns the error for the run. */
  failed(error: FetchError): FetchError
}

type Run = Pick<FetchOrders, 'proxy' | 'proxyPool'> & Partial<Pick<FetchOrders, 'projectId'>>

/** Returns the route for an order. @throws FetchError `proxy` if no route is available now, or none exists */
export type RouteOf = (run: Run, order: Pick<FetchOrder, 'key' | 'attempt'>) => Route

type Options = {
  direct: HttpClient
  proxied: ProxyClients
  takeMember: TakeMember
  /** Opens sealed values. */
  open: Memoized
}

export function createRoutes({ direct, proxied, takeMember, open }: Options): RouteOf {
  const straight: Route = { client: direct, ...indifferent, [Symbol.dispose]() {} }

  function byOwn(sealed: string): Route {
    const { client, [Symbol.dispose]: giveBack } = proxied.lend(readOwn(open, sealed), 'customer')
    return { client, ...indifferent, [Symbol.dispose]: giveBack }
  }

  function byPool(...wanted: Parameters<TakeMember>): Route {
    const { proxy, [Symbol.dispose]: reportResult, ...member } = takeMember(...wanted)
    const { client, [Symbol.dispose]: giveBack } = proxied.lend(proxy, 'operator')
    return {
      client,
      ...member,
      [Symbol.dispose]() {
        reportResult()
        giveBack()
      },
    }
  }

  return ({ proxy, proxyPool, projectId }, order) => {
    if (proxy !== undefined) return byOwn(proxy)
    return proxyPool ? byPool(proxyPool, order, projectId) : straight
  }
}

const indifferent = { succeeded() {}, failed: (error: FetchError) => error }

function readOwn(open: Memoized, sealed: string): ProxyServer {
  try {
    return readProxy(open(sealed))
  } catch (thrown) {
    throw new FetchError('proxy', { because: FetchError.from(thrown).message, transient: false })
  }
}
