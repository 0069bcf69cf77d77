/** What came of an order, read as a sign of how its host bears us. */
import type { Outcome } from '@tidemark/contracts/work/outcome'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import type { Strain } from './host-window.ts'

type Result = { page: Pick<FetchedPage, 'status'> } | { outcome: Outcome }

const signsOfStrain = new Set(['timeout', 'connect', 'throttled'])

/** Other failures are the page's own, the proxy's or ours. */
export function strainOf(result: Result): Strain {
  if ('page' in result) return strainOfStatus(result.page.status)
  const { outcome } = result
  switch (outcome.type) {
    case 'robots':
      return strainOfStatus(outcome.status)
    case 'redirect':
      return 'good'
    case 'failed':
    case 'robots_failed':
      return signsOfStrain.has(outcome.reason) ? 'bad' : null
    default:
      return null
  }
}

const strainOfStatus = (status: number): Strain => (status >= 500 || status === 429 ? 'bad' : 'good')
