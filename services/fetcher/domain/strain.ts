/** Interprets the result of a request as a sign of the host's load. */
import type { Strain } from './host-window.ts'

type Asked = { fetched: { status: number } } | { error: { code: string } }

const signsOfStrain = new Set(['timeout', 'connect'])

/** Returns the sign, or null for failures that the page, the proxy or the fetcher causes. */
export function strainOf(asked: Asked): Strain {
  if ('error' in asked) return signsOfStrain.has(asked.error.code) ? 'bad' : null
  const { status } = asked.fetched
  return status >= 500 || status === 429 ? 'bad' : 'good'
}
