/** Checks that this installation has the proxies that a request names. All routes with a pool share this rule. */
import type { CloudState } from '@tidemark/contracts/rpc/search'
import type { ProxyPool } from '@tidemark/contracts/run-settings'
import { ApiProblem } from '../../http/domain/problem.ts'
import { refusal } from '../../http/domain/refusal.ts'

type Fields = { pool: string; country: string }
/** Names of the fields in most routes, for error messages. */
export const proxyFields: Fields = { pool: 'proxy_pool', country: 'proxy_country' }

type Offer = Pick<CloudState, 'proxyPools'>

/**
 * Returns the country in upper case; null: any. Throws `ApiProblem`: `not_configured` for a pool that PROXY_POOLS does
 * not name, `invalid_input` for a country that the pool lacks. Both messages list the available pools.
 */
export function offeredProxy(
  { proxyPools }: Offer,
  pool: ProxyPool,
  country: string | undefined,
  fields: Fields,
): string | null {
  const countries = proxyPools.map(read).find(([name]) => name === pool)?.[1]
  if (countries === undefined) throw notConfigured(`pool ${pool}`, fields.pool, proxyPools)
  const code = country?.toUpperCase() ?? null
  if (code === null || countries.includes(code)) return code
  const message = `This installation has no proxies of ${code} in the pool ${pool}; it has ${proxyPools.join(', ')}.`
  throw refusal(fields.country, 'bad_value', message)
}

/**
 * Returns the country in upper case, for a request through any proxy or the vendor. Throws `ApiProblem` if none of them
 * covers it.
 */
export function offeredCountry(
  { proxyPools, vendor }: Offer & Pick<CloudState, 'vendor'>,
  country: string,
): string {
  const code = country.toUpperCase()
  if (vendor || proxyPools.some(text => read(text)[1].includes(code))) return code
  if (proxyPools.length === 0) throw notConfigured('proxies', 'country', proxyPools)
  const message = `This installation has no proxies of ${code}; it has ${proxyPools.join(', ')}.`
  throw refusal('country', 'bad_value', message)
}

const notConfigured = (what: string, field: string, proxyPools: readonly string[]) =>
  new ApiProblem('not_configured', {
    message: `This installation has no ${what}: its setting PROXY_POOLS has ${proxyPools.join(', ') || 'none'}.`,
    field,
  })

/** Parses `isp (DE, US)`: a pool and its countries. */
function read(text: string): [pool: string, countries: string[]] {
  const [pool = '', countries = ''] = text.split(/ \(|\)$/)
  return [pool, countries.split(', ').filter(country => country !== '')]
}
