/** What the bytes of proxies cost, as the setting PROXY_PRICES has it. */
import { ProxyPool } from '@tidemark/contracts/run-settings'
import { isObject } from '../../http/domain/input.ts'

/** US dollars a GB (of 10^9 bytes); a pool that is not named costs nothing. */
export type ProxyPrices = Readonly<Partial<Record<ProxyPool, number>>>

const pools: readonly string[] = ProxyPool.anyOf.map(({ const: name }) => name)

/** Throws where the text is no such table. */
export function readProxyPrices(text: string): ProxyPrices {
  const fault = proxyPricesFault(text)
  if (fault !== null) throw new Error(`PROXY_PRICES ${fault}`)
  return text === '' ? {} : JSON.parse(text)
}

/** Why the text cannot be read, in words that go on from the name of the setting; null where it can. */
export function proxyPricesFault(text: string): string | null {
  if (text === '') return null
  const prices = parsed(text)
  if (!isObject(prices)) return 'must be JSON such as {"isp": 2.5, "residential": 8}'
  for (const [pool, price] of Object.entries(prices)) {
    if (!pools.includes(pool)) return `must name pools: ${pool} is none of ${pools.join(', ')}`
    if (typeof price !== 'number' || price < 0) return `must say dollars a GB: that of ${pool} is none`
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
