/**
 * By which way a run's requests leave: directly, by the proxy that the client gave, or by one of a pool. What
 * lies behind a proxy is judged like everything else (libs/http).
 */
import type { FetchOrder, FetchOrders } from '@tidemark/contracts/work/fetch'
import type { HttpClient } from '@tidemark/http/client'
import { FetchError } from '@tidemark/http/fetch-error'
import { type ProxyServer, readProxy } from '@tidemark/http/proxy'
import type { ProxyClients } from '@tidemark/http/proxy-clients'
import type { Remembered } from '../domain/remembered.ts'
import type { TakeMember } from './pool-members.ts'

/** Held while requests go by it. */
export type Way = Disposable & {
  client: HttpClient
  /** An answer came by it. */
  answered(): void
  /** None came. Returns what the run is to be told. */
  failed(error: FetchError): FetchError
}

type Run = Pick<FetchOrders, 'proxy' | 'proxyPool'>

/** @throws FetchError `proxy`, where there is no way now, or never */
export type WayOf = (run: Run, order: Pick<FetchOrder, 'key' | 'attempt'>) => Way

type Options = {
  direct: HttpClient
  proxied: ProxyClients
  takeMember: TakeMember
  /** Opens what is sealed. */
  open: Remembered
}

export function createWays({ direct, proxied, takeMember, open }: Options): WayOf {
  const straight: Way = { client: direct, ...indifferent, [Symbol.dispose]() {} }

  function byOwn(sealed: string): Way {
    const { client, [Symbol.dispose]: giveBack } = proxied.lend(readOwn(open, sealed), 'customer')
    return { client, ...indifferent, [Symbol.dispose]: giveBack }
  }

  function byPool(...wanted: Parameters<TakeMember>): Way {
    const { proxy, [Symbol.dispose]: tell, ...member } = takeMember(...wanted)
    const { client, [Symbol.dispose]: giveBack } = proxied.lend(proxy, 'operator')
    return {
      client,
      ...member,
      [Symbol.dispose]() {
        tell()
        giveBack()
      },
    }
  }

  return ({ proxy, proxyPool }, order) => {
    if (proxy !== undefined) return byOwn(proxy)
    return proxyPool ? byPool(proxyPool, order) : straight
  }
}

const indifferent = { answered() {}, failed: (error: FetchError) => error }

function readOwn(open: Remembered, sealed: string): ProxyServer {
  try {
    return readProxy(open(sealed))
  } catch (thrown) {
    throw new FetchError('proxy', { because: FetchError.from(thrown).message, transient: false })
  }
}
