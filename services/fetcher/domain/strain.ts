/** Interprets the result of a request as a sign of the host's load. */
import type { Strain } from './host-window.ts'

type RequestResult = { fetched: { status: number } } | { error: { code: string } }

const signsOfStrain = new Set(['timeout', 'connect'])

/** Returns the sign, or null for failures that the page, the proxy or the fetcher causes. */
export function strainOf(response: RequestResult): Strain {
  if ('error' in response) return signsOfStrain.has(response.error.code) ? 'bad' : null
  const { status } = response.fetched
  return status >= 500 || status === 429 ? 'bad' : 'good'
}
