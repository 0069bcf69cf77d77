/**
 * Computes the bill of a page that a backend fetched: its outcome in the price table, and the costs of backends and
 * proxy traffic in US dollars.
 */
import type { Ending } from '@tidemark/contracts/prices'
import type { BackendName, Try } from '@tidemark/contracts/rpc/backends'
import type { Content } from '@tidemark/contracts/rpc/content'
import type { ProxyPool } from '@tidemark/contracts/run-settings'
import type { ProxyPrices } from './proxy-prices.ts'

/** The fields of a page that determine its price. */
export type Priced = {
  backend: BackendName
  pool: ProxyPool | null
  /** Bytes transferred by the successful try; null: not measured. */
  moved: number | null
  /** All tries, in order. */
  tried: readonly Try[]
  content: Pick<Content, 'challenge'>
}

const bytesOfGb = 1e9

export const endingOfPage = ({ content }: Pick<Priced, 'content'>): Ending =>
  content.challenge === null ? 'billed' : 'blocked'

/**
 * Returns the tries with their billed cost in US dollars: the price of the vendor, and the traffic of the proxy that
 * fetched the page. After a challenge all tries cost 0.
 */
export function billedTries({ content, tried, backend, pool, moved }: Priced, prices: ProxyPrices): Try[] {
  if (content.challenge !== null) return tried.map(one => ({ ...one, costUsd: 0 }))
  const perGb = pool === null ? 0 : (prices[pool] ?? 0)
  const counts = tried.findLastIndex(one => one.backend === backend && (one.pool ?? null) === pool)
  return tried.map((one, at) => {
    const ofBytes = at === counts ? ((moved ?? 0) * perGb) / bytesOfGb : 0
    return { ...one, costUsd: usd(one.costUsd + ofBytes) }
  })
}

/** Returns the bill of all tries together, in US dollars. */
export const costOf = (page: Priced, prices: ProxyPrices): number => sumOf(billedTries(page, prices))

export const sumOf = (tries: readonly Try[]): number =>
  usd(tries.reduce((sum, { costUsd }) => sum + costUsd, 0))

/** Rounds to the millionth, as the ledger stores it. */
export const usd = (amount: number): number => Math.round(amount * 1e6) / 1e6
