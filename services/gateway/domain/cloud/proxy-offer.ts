/** Which proxies may be asked for: only those that this installation says it has. */
import type { CloudState } from '@tidemark/contracts/ask/search'
import type { ProxyPool } from '@tidemark/contracts/run-settings'
import { refusal } from '../field-rule.ts'
import { ApiProblem } from '../problem.ts'

type Fields = { pool: string; country: string }
type Offer = Pick<CloudState, 'proxyPools'>

/**
 * The country as backends take it. Throws `ApiProblem`: `not_configured` where there are no proxies at all,
 * `invalid_input` with what there is where there are none of this kind.
 */
export function offeredProxy(
  { proxyPools }: Offer,
  pool: ProxyPool,
  country: string | undefined,
  fields: Fields,
): string | null {
  if (proxyPools.length === 0) throw noProxies(fields.pool)
  const countries = proxyPools.map(read).find(([name]) => name === pool)?.[1]
  const all = `it has ${proxyPools.join(', ')}`
  if (countries === undefined) {
    throw refusal(fields.pool, 'bad_value', `This installation has no pool ${pool}; ${all}.`)
  }
  const code = country?.toUpperCase() ?? null
  if (code === null || countries.includes(code)) return code
  const message = `This installation has no proxies of ${code} in the pool ${pool}; ${all}.`
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
  if (proxyPools.length === 0) throw noProxies('country')
  const message = `This installation has no proxies of ${code}; it has ${proxyPools.join(', ')}.`
  throw refusal('country', 'bad_value', message)
}

const noProxies = (field: string) =>
  new ApiProblem('not_configured', {
    message: 'This installation has no proxies: its setting PROXY_POOLS names none.',
    field,
  })

/** `isp (DE, US)`: a pool and the countries that it can be asked for. */
function read(text: string): [pool: string, countries: string[]] {
  const [pool = '', countries = ''] = text.split(/ \(|\)$/)
  return [pool, countries.split(', ').filter(country => country !== '')]
}
