/** Which proxies a request may name: only those that this installation has. One rule for every route with a pool. */
import type { CloudState } from '@tidemark/contracts/rpc/search'
import type { ProxyPool } from '@tidemark/contracts/run-settings'
import { ApiProblem } from '../../http/domain/problem.ts'
import { refusal } from '../../http/domain/refusal.ts'

type Fields = { pool: string; country: string }
/** As most routes name them. */
export const proxyFields: Fields = { pool: 'proxy_pool', country: 'proxy_country' }

type Offer = Pick<CloudState, 'proxyPools'>

/**
 * Returns the country as backends take it. Throws `ApiProblem`: `not_configured` for a pool that PROXY_POOLS does not
 * name, `invalid_input` for a country that the pool does not have; either message lists what there is.
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
 * The country that a page is to be asked for from, by whatever proxies or vendor there are. Throws `ApiProblem` where
 * none of them could.
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

/** `isp (DE, US)`: a pool and the countries that it can be asked for. */
function read(text: string): [pool: string, countries: string[]] {
  const [pool = '', countries = ''] = text.split(/ \(|\)$/)
  return [pool, countries.split(', ').filter(country => country !== '')]
}
