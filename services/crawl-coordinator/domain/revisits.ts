/** Which pages of a run need not be sent again if they are what the run before has. */
import type { FetchOrders } from '@tidemark/contracts/work/fetch'
import { attemptsOf } from './retry.ts'
import type { Running } from './run.ts'

/** Of a monitor's run, unless its client wants all pages whole: the run whose pages it may take over, if there is one. */
export const revisitsOf = ({ tick, settings }: Running): Pick<FetchOrders, 'revisits'> =>
  tick && settings.conditional !== false ? { revisits: { since: tick.previousRunId } } : {}

/** Not where that has been tried in vain; and a page's last attempt depends on nothing that may be gone. */
export function mayBeUnchanged({ tick, settings, pending }: Running, key: string): boolean {
  if (!tick?.previousRunId || settings.conditional === false) return false
  const page = pending.get(key)
  return page !== undefined && page.lane !== 'browser' && !page.isStale && page.attempt < attemptsOf('page')
}
