/** `proxy_url`, `proxy_pool` and `proxy_country`: one way out of this installation, and one that it has. */
import type { CrawlRequest } from '@tidemark/contracts/http/crawls'
import type { ProxyPool } from '@tidemark/contracts/run-settings'
import { type FieldRule, refusal, without } from './field-rule.ts'

/** The pools of this installation. */
export type ProxyPools = {
  /** Null asks for any country. */
  has(pool: ProxyPool, country: string | null): boolean
  /** Each pool with what it can be asked for, in words such as `isp (DE, US)`; none where nothing is configured. */
  names(): string[]
}

export const proxyChoice: FieldRule = (request, { pools }, warn) => {
  const asked = withCountry(request)
  const { proxy_url: url, proxy_pool: pool, proxy_country: country = null } = asked
  if (url !== undefined) {
    if (pool !== undefined) warn('proxy_pool was ignored, because proxy_url wins over it')
    return without(asked, 'proxy_pool', 'proxy_country')
  }
  if (pool !== undefined && !pools.has(pool, country)) throw notOffered(pool, country, pools)
  return asked
}

function withCountry(request: CrawlRequest): CrawlRequest {
  const { proxy_country: country, proxy_pool: pool } = request
  if (country === undefined) return request
  if (!/^[A-Za-z]{2}$/.test(country)) {
    const message = 'proxy_country must be an ISO 3166-1 alpha-2 code of two letters, such as DE.'
    throw refusal('proxy_country', 'bad_value', message)
  }
  if (pool === undefined) {
    const message = 'proxy_country chooses from a pool: send proxy_pool too, or leave it out.'
    throw refusal('proxy_country', 'conflicting_fields', message)
  }
  return { ...request, proxy_country: country.toUpperCase() }
}

function notOffered(pool: ProxyPool, country: string | null, pools: ProxyPools) {
  const names = pools.names()
  const offer =
    names.length === 0
      ? 'it has no pools. Leave proxy_pool out, or send a proxy_url'
      : `it has ${names.join(', ')}`
  const isCountry = country !== null && pools.has(pool, null)
  const wanted = isCountry ? `no proxies of ${country} in the pool ${pool}` : `no pool ${pool}`
  return refusal(
    isCountry ? 'proxy_country' : 'proxy_pool',
    'bad_value',
    `This installation has ${wanted}; ${offer}.`,
  )
}
