/** `proxy_url`, `proxy_pool` and `proxy_country`: allows one proxy, which this installation must have. */
import type { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import { refusal } from '../../http/domain/refusal.ts'
import { offeredProxy, proxyFields } from '../../live-pages/domain/proxy-offer.ts'
import { type FieldRule, without } from './field-rule.ts'

export const proxyChoice: FieldRule = (request, { pools }, warn) => {
  const requested = withCountry(request)
  const { proxy_url: url, proxy_pool: pool, proxy_country: country } = requested
  if (url !== undefined) {
    const ignored = country === undefined ? 'proxy_pool was' : 'proxy_pool and proxy_country were'
    if (pool !== undefined) warn(`${ignored} ignored, because proxy_url takes precedence`)
    return without(requested, 'proxy_pool', 'proxy_country')
  }
  if (pool !== undefined) offeredProxy({ proxyPools: pools.names() }, pool, country, proxyFields)
  return requested
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
