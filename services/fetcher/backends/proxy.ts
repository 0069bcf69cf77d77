/**
 * Plain HTTP through a proxy of the installation. A host keeps its proxy for a while, in all processes alike. If that
 * proxy fails, the next one is tried at once. Each page has its own connections, so that its bytes are counted
 * separately.
 */
import { type ClientSettings, createClient } from '@tidemark/http/client'
import { countedWay } from '@tidemark/http/counted-way'
import { FetchError } from '@tidemark/http/fetch-error'
import type { ProxyServer } from '@tidemark/http/proxy'
import { hasPool, type ProxyPools } from '@tidemark/http/proxy-pools'
import { poolName, type TakeMember } from '../adapters/pool-members.ts'
import type { WayOf } from '../adapters/ways.ts'
import type { Ask } from '../handlers/ask.ts'
import type { Backend, ByOf, Came } from './backend.ts'
import { askOptions } from './http.ts'

type Ports = {
  pools: ProxyPools
  takeMember: TakeMember
  clients: ClientSettings
  /** The usual fetch, by this route. */
  askBy: (wayOf: WayOf) => Ask
  /** Milliseconds since 1970. */
  now?: () => number
}

/** How long a host keeps its proxy. */
const stickyMs = 600_000
const maxProxies = 3

export function proxyBackend({
  pools,
  takeMember,
  clients,
  askBy,
  now = Date.now,
}: Ports): Backend<ByOf<'proxy'>> {
  return async (question, { pool, country }, errand) => {
    const choice = { pool, country }
    if (!hasPool(pools, choice)) return { error: noPool(poolName(choice)) }
    const options = askOptions(question, errand)
    const work = { ...options.work, proxyPool: choice }
    const key = `${new URL(question.url).host} ${Math.floor(now() / stickyMs)}`
    let moved = 0
    for (let attempt = 1; ; attempt++) {
      const order = { key, attempt }
      const trip = openTrip(clients)
      const ask = askBy(() => trip.by(takeMember(choice, order)))
      const asked = await ask(question.url, { ...options, work, order }).finally(trip.close)
      moved += trip.moved()
      if (attempt === maxProxies || !isProxysFault(asked)) return resultOf(asked, moved)
    }
  }
}

const noPool = (name: string): FetchError =>
  new FetchError('not_configured', { because: `PROXY_POOLS has no proxies for ${name}` })

const isProxysFault = (asked: Came): boolean =>
  'error' in asked && asked.error.code === 'proxy' && asked.error.transient && asked.error.hops.length === 0

const resultOf = (asked: Came, moved: number): Came =>
  'error' in asked ? { error: withoutProxy(asked.error) } : { ...asked, fetched: { ...asked.fetched, moved } }

/** The identity and address of a proxy are private to the operator. */
function withoutProxy(error: FetchError): FetchError {
  const { code, transient, retryAfterMs, target, hops } = error
  if (!error.message.includes('://')) return error
  return Object.assign(new FetchError(code, { cause: error, transient, retryAfterMs, target }), { hops })
}

/** One attempt, with its own client once its proxy is chosen. */
function openTrip(clients: ClientSettings) {
  let close = async () => {}
  let moved = () => 0
  return {
    by({
      proxy,
      ...member
    }: { proxy: ProxyServer } & Omit<ReturnType<TakeMember>, 'proxy'>): ReturnType<WayOf> {
      const way = countedWay(clients, proxy)
      const client = createClient({ ...clients, connect: way.connect })
      ;({ close } = client)
      ;({ moved } = way)
      return { client, ...member }
    },
    close: () => close(),
    moved: () => moved(),
  }
}
