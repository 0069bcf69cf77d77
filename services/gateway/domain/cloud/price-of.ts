/** What a page that some backend had is billed: units by how it ended, and what backends and bytes cost. */
import type { Content } from '@tidemark/contracts/ask/content'
import type { BackendName } from '@tidemark/contracts/ask/means'
import type { Ending } from '@tidemark/contracts/prices'
import type { ProxyPool } from '@tidemark/contracts/run-settings'
import type { ProxyPrices } from './proxy-prices.ts'

/** Of whatever was got, as far as its price goes. */
export type Priced = {
  backend: BackendName
  pool: ProxyPool | null
  moved: number | null
  costUsd: number
  content: Pick<Content, 'challenge'>
}

const bytesOfGb = 1e9

export const endingOfPage = ({ content }: Pick<Priced, 'content'>): Ending =>
  content.challenge === null ? 'billed' : 'blocked'

/** In US dollars. A challenge costs nothing, so that what is told is what is billed. */
export function costOf(page: Priced, prices: ProxyPrices): number {
  if (endingOfPage(page) === 'blocked') return 0
  const { pool, moved, costUsd } = page
  const perGb = pool === null ? 0 : (prices[pool] ?? 0)
  return usd(costUsd + ((moved ?? 0) * perGb) / bytesOfGb)
}

/** To the millionth, as the ledger keeps it. */
export const usd = (amount: number): number => Math.round(amount * 1e6) / 1e6
