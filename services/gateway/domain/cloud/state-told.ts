/** What this installation has beyond plain HTTP, as it is told. */
import type { CloudState } from '@tidemark/contracts/ask/search'
import type { ReadUsageAnswer } from '@tidemark/contracts/ask/usage'
import type { CloudBalance, CloudHealth } from '@tidemark/contracts/http/cloud-state'

export const balanceTold = (state: CloudState): CloudBalance => ({
  balance_usd: balanceOf(state),
  currency: 'USD',
  configured: state.vendor,
})

export function healthTold(state: CloudState, recent: ReadUsageAnswer['recent']): CloudHealth {
  const { browser, faithful, proxyPools, vendor, search } = state
  return {
    configured: browser || faithful || vendor || proxyPools.length > 0,
    balance_usd: balanceOf(state),
    last_24h: { cloud_pages: recent?.cloudPages ?? 0, cloud_cost_usd: recent?.cloudCostUsd ?? 0 },
    backends: { browser, faithful, proxy_pools: proxyPools, vendor, search },
  }
}

/** Nobody has any money with nobody. */
const balanceOf = ({ vendor, balanceUsd }: CloudState): number | null => (vendor ? balanceUsd : 0)
