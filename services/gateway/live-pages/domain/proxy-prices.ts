/** Parses the prices of proxy traffic in the setting PROXY_PRICES. */
import { ProxyPool } from '@tidemark/contracts/run-settings'
import { isObject } from '@tidemark/schema/bounds'

/** US dollars per GB (10^9 bytes). Pools without a price are free. */
export type ProxyPrices = Readonly<Partial<Record<ProxyPool, number>>>

const pools: readonly string[] = ProxyPool.anyOf.map(({ const: name }) => name)

/** Returns the prices. Throws an Error if the text is invalid. */
export function readProxyPrices(text: string): ProxyPrices {
  const fault = proxyPricesFault(text)
  if (fault !== null) throw new Error(`PROXY_PRICES ${fault}`)
  return text === '' ? {} : JSON.parse(text)
}

/** Returns why the text is invalid, as a phrase that follows the name of the setting, or null. */
export function proxyPricesFault(text: string): string | null {
  if (text === '') return null
  const prices = parsed(text)
  if (!isObject(prices)) return 'must be JSON such as {"isp": 2.5, "residential": 8}'
  for (const [pool, price] of Object.entries(prices)) {
    if (!pools.includes(pool)) return `must name pools: ${pool} is not one of ${pools.join(', ')}`
    if (typeof price !== 'number' || !Number.isFinite(price) || price < 0)
      return `must have prices in US dollars per GB: the price of ${pool} is not valid`
  }
  return null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
