/**
 * By which way a run's requests leave: directly, by the proxy that the client gave, or by one of a pool. What
 * lies behind a proxy is judged like everything else (libs/http).
 */
import type { FetchOrder, FetchOrders } from '@tidemark/contracts/work/fetch'
import type { HttpClient } from '@tidemark/http/client'
import { FetchError } from '@tidemark/http/fetch-error'
import { type ProxyServer, readProxy } from '@tidemark/http/proxy'
import type { ProxyClients } from '@tidemark/http/proxy-clients'
import { type ProxyPools, proxiesOf } from '@tidemark/http/proxy-pools'
import type { Remembered } from '../domain/remembered.ts'
import { createRotation } from '../domain/rotation.ts'

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
  pools: ProxyPools
  /** Opens what is sealed. */
  open: Remembered
  now?: () => number
}

export function createWays({ direct, proxied, pools, open, now = () => performance.now() }: Options): WayOf {
  const rotation = createRotation<ProxyServer>(now)
  const straight: Way = { client: direct, ...indifferent, [Symbol.dispose]() {} }

  function byOwn(sealed: string): Way {
    const { client, [Symbol.dispose]: giveBack } = proxied.lend(readOwn(open, sealed), 'customer')
    return { client, ...indifferent, [Symbol.dispose]: giveBack }
  }

  function byPool(choice: NonNullable<Run['proxyPool']>, order: Parameters<WayOf>[1]): Way {
    const name = choice.country === null ? choice.pool : `${choice.pool} in ${choice.country}`
    const members = proxiesOf(pools, choice)
    if (members.length === 0) throw noProxy(`there is no pool ${name}`, { transient: false })
    const picked = rotation.pick(members, order)
    if ('waitMs' in picked) {
      throw noProxy(`all of the pool ${name} have failed lately`, { retryAfterMs: picked.waitMs })
    }
    const { member } = picked
    const { client, [Symbol.dispose]: giveBack } = proxied.lend(member, 'operator')
    let well: boolean | null = null
    return {
      client,
      answered() {
        well = true
      },
      failed(error) {
        if (error.code === 'connect') well = true // it says so of the target
        if (error.code !== 'proxy') return error
        well = false
        return anotherMayDo(error)
      },
      [Symbol.dispose]() {
        rotation.went(member, well)
        giveBack()
      },
    }
  }

  return ({ proxy, proxyPool }, order) => {
    if (proxy !== undefined) return byOwn(proxy)
    return proxyPool ? byPool(proxyPool, order) : straight
  }
}

/** One proxy's failure is not the pool's. */
const anotherMayDo = (cause: FetchError): FetchError =>
  new FetchError('proxy', { because: cause.message, cause, transient: true })

const indifferent = { answered() {}, failed: (error: FetchError) => error }

function readOwn(open: Remembered, sealed: string): ProxyServer {
  try {
    return readProxy(open(sealed))
  } catch (thrown) {
    throw noProxy(FetchError.from(thrown).message, { transient: false })
  }
}

const noProxy = (because: string, more: { transient?: boolean; retryAfterMs?: number }) =>
  new FetchError('proxy', { because, ...more })
