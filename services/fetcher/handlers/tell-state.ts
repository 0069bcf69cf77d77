/** What this installation can get pages by. */
import type { CloudState } from '@tidemark/contracts/ask/search'
import type { Vendor } from '../adapters/vendor-api.ts'

type Ports = Pick<CloudState, 'proxyPools' | 'search'> & {
  /** Whether one could be run. */
  browser: () => Promise<boolean>
  vendor: Vendor | null
}

export const tellState =
  ({ browser, vendor, ...state }: Ports): (() => Promise<CloudState>) =>
  async () => {
    const [isThere, faithful, balanceUsd] = await Promise.all([
      browser(),
      canBeFaithful(),
      vendor?.balanceUsd() ?? null,
    ])
    return { ...state, browser: isThere, faithful, vendor: vendor !== null, balanceUsd }
  }

/** Its native code is there. */
const canBeFaithful = () =>
  import('impit').then(
    () => true,
    () => false,
  )
