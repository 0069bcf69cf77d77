/**
 * Parses the setting PROXY_POOLS: the operator's proxies by pool and country. A country is an ISO 3166-1 alpha-2 code.
 * Proxies without a particular country are listed under `any`.
 */
import { type PoolChoice, ProxyPool } from '@tidemark/contracts/run-settings'
import { type ProxyServer, readProxy } from './proxy.ts'

export type ProxyPools = Map<ProxyPool, Map<string, ProxyServer[]>>

/** Describes the format for operators. */
export const proxyPoolsFormat =
  'JSON such as `{"residential": {"DE": ["http://user:password@host:port"], "any": ["socks5://host:1080"]}, "isp": ["https://host:port"]}`, ' +
  'with the pools datacenter, isp, residential and mobile, and a list in place of the countries for any'

const pools: string[] = ProxyPool.anyOf.map(({ const: name }) => name)

/**
 * Parses PROXY_POOLS; empty text means no pools.
 * @throws Error that names the invalid position, and never an address, because addresses contain passwords
 */
export function readProxyPools(text: string): ProxyPools {
  if (text.trim() === '') return new Map()
  const entries = Object.entries(readObject(text)).map(
    ([name, value]): [ProxyPool, Map<string, ProxyServer[]>] => {
      if (!isPool(name)) throw bad(name, `is not one of ${pools.join(', ')}`)
      return [name, readCountries(name, value)]
    },
  )
  return new Map(entries)
}

/** Returns why the text is not valid for PROXY_POOLS, or null. */
export function proxyPoolsFault(text: string): string | null {
  try {
    readProxyPools(text)
    return null
  } catch (error) {
    return (error as Error).message.replace(/^PROXY_POOLS:? /, '')
  }
}

/** Returns whether there are proxies for this choice; without a country: in any country. */
export const hasPool = (pools: ProxyPools, choice: PoolChoice): boolean => proxiesOf(pools, choice).length > 0

/** Returns the matching proxies in their written order. Those of `any` match only if no country is requested. */
export function proxiesOf(pools: ProxyPools, { pool, country }: PoolChoice): ProxyServer[] {
  const countries = pools.get(pool)
  if (country === null) return [...(countries?.values() ?? [])].flat()
  return countries?.get(country.toUpperCase()) ?? []
}

/** Returns each pool with its countries, such as `isp (DE, US)`; without countries: `isp`. */
export const poolNames = (pools: ProxyPools): string[] =>
  [...pools].map(([pool, countries]) => {
    const named = [...countries.keys()].filter(country => country !== anyCountry)
    return named.length === 0 ? pool : `${pool} (${named.join(', ')})`
  })

const anyCountry = 'any'

const isPool = (name: string): name is ProxyPool => pools.includes(name)

function readObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // The error of JSON.parse contains the text.
  }
  throw new Error(`PROXY_POOLS is not ${proxyPoolsFormat}`)
}

function readCountries(pool: string, value: unknown): Map<string, ProxyServer[]> {
  if (Array.isArray(value)) return new Map([[anyCountry, readList(pool, value)]])
  if (typeof value !== 'object' || value === null) throw bad(pool, 'has neither countries nor a list')
  return new Map(
    Object.entries(value).map(([country, list]) => {
      const isCountry = /^[A-Za-z]{2}$/.test(country)
      if (!isCountry && country !== anyCountry)
        throw bad(`${pool}.${country}`, 'is neither a country nor any')
      return [isCountry ? country.toUpperCase() : country, readList(`${pool}.${country}`, list)]
    }),
  )
}

function readList(position: string, list: unknown): ProxyServer[] {
  if (!Array.isArray(list) || list.length === 0) throw bad(position, 'is not a list of proxies')
  return list.map((text, at) => {
    try {
      return readProxy(String(text))
    } catch (error) {
      throw bad(`${position}[${at}]`, error instanceof Error ? error.message : 'cannot be read')
    }
  })
}

const bad = (position: string, because: string) => new Error(`PROXY_POOLS: ${position} ${because}`)
