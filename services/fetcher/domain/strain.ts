/** What came of a question, read as a sign of how its host bears us. */
import type { Strain } from './host-window.ts'

type Asked = { fetched: { status: number } } | { error: { code: string } }

const signsOfStrain = new Set(['timeout', 'connect'])

/** Other failures are the page's own, the proxy's or ours. */
export function strainOf(asked: Asked): Strain {
  if ('error' in asked) return signsOfStrain.has(asked.error.code) ? 'bad' : null
  const { status } = asked.fetched
  return status >= 500 || status === 429 ? 'bad' : 'good'
}
