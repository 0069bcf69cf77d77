/** Reports which backends this installation has. */
import type { CloudState } from '@tidemark/contracts/rpc/search'
import type { Vendor } from '../adapters/vendor-api.ts'

type Ports = Pick<CloudState, 'proxyPools' | 'search'> & {
  /** Returns whether a browser could be started. */
  browser: () => Promise<boolean>
  vendor: Vendor | null
}

export const reportState =
  ({ browser, vendor, ...state }: Ports): (() => Promise<CloudState>) =>
  async () => {
    const [isInstalled, faithful, balanceUsd] = await Promise.all([
      browser(),
      canBeFaithful(),
      vendor?.balanceUsd() ?? null,
    ])
    return { ...state, browser: isInstalled, faithful, vendor: vendor !== null, balanceUsd }
  }

/** Returns whether the native code of the faithful client is installed. */
const canBeFaithful = () =>
  import('impit').then(
    () => true,
    () => false,
  )
