/** Names the means of a scan, so that a stored page is used only by scans that would request it alike. */
import { hash } from 'node:crypto'
import type { ScanPage } from '@tidemark/contracts/rpc/content'

/**
 * Returns the name of everything besides the URL that influences the response: the User-Agent and the backends. It is
 * empty for plain HTTP with a User-Agent that the fetcher chooses.
 */
export function nameOfMeans({ userAgent, means }: Pick<ScanPage, 'userAgent' | 'means'>): string {
  if (userAgent === undefined && means === undefined) return ''
  const { is, from, pool, country } = { from: null, pool: null, country: null, is: null, ...means }
  return hash('sha256', JSON.stringify([userAgent ?? null, is, from, pool, country]), 'base64url')
}
