/** Formats the state of the cloud backends for the API. */

import type { CloudBalance, CloudHealth } from '@tidemark/contracts/http/cloud/state'
import type { CloudState } from '@tidemark/contracts/rpc/search'
import type { ReadUsageResponse } from '@tidemark/contracts/rpc/usage'

export const balanceView = (state: CloudState): CloudBalance => ({
  balance_usd: balanceOf(state),
  currency: 'USD',
  configured: state.vendor,
})

export function healthView(state: CloudState, recent: ReadUsageResponse['recent']): CloudHealth {
  const { browser, faithful, proxyPools, vendor, search } = state
  return {
    configured: browser || vendor || proxyPools.length > 0,
    balance_usd: balanceOf(state),
    last_24h: { cloud_pages: recent?.cloudPages ?? 0, cloud_cost_usd: recent?.cloudCostUsd ?? 0 },
    backends: { browser, faithful, proxy_pools: proxyPools, vendor, search },
    engines: {
      faithful: { configured: faithful, setting: null },
      browser: { configured: browser, setting: 'BROWSER' },
      proxy: { configured: proxyPools.length > 0, setting: 'PROXY_POOLS' },
      vendor: { configured: vendor, setting: 'VENDOR_URL' },
      search: { configured: search, setting: 'SEARCH_URL' },
    },
  }
}

/** Returns the balance in US dollars; 0 without a vendor; null: the vendor does not state it. */
const balanceOf = ({ vendor, balanceUsd }: CloudState): number | null => (vendor ? balanceUsd : 0)
