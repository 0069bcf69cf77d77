/** Names the means of a scan, so that a stored page is used only by scans that would request it alike. */
import { hash } from 'node:crypto'
import type { ScanPage } from '@tidemark/contracts/rpc/content'

/**
 * Returns the name of everything besides the key of the URL that influences the response: the User-Agent, the backends,
 * and the fragment, which scripts in a browser may read. It is empty for plain HTTP with a User-Agent that the fetcher
 * chooses.
 */
export function nameOfMeans({
  url,
  userAgent,
  means,
}: Pick<ScanPage, 'url' | 'userAgent' | 'means'>): string {
  if (userAgent === undefined && means === undefined) return ''
  const { is, from, pool, country } = { from: null, pool: null, country: null, is: null, ...means }
  const fragment = means === undefined ? '' : (URL.parse(url)?.hash ?? '')
  const parts = [userAgent ?? null, is, from, pool, country, ...(fragment === '' ? [] : [fragment])]
  return hash('sha256', JSON.stringify(parts), 'base64url')
}
