/** Rules for delivery: compression, caching and response time. */

import { isSuccess } from './response.ts'
import { type Rule, when } from './rule.ts'
import { lighthouse, rfc, webDev } from './sources.ts'

const caching = rfc(9111, '4.2', 'freshness')
/** Below this size compression does not save a packet. */
const worthPacking = 4 * 1024
/** "Poor" time to first byte, applied to the whole page. */
const slowMs = 1800

export const deliveryRules: readonly Rule[] = [
  {
    id: 'compression/missing',
    on: 'responses',
    severity: 'warning',
    needs: 'headers',
    finds: `HTML of more than ${worthPacking} bytes sent without compression`,
    reason: 'The transfer takes several times as long on a slow connection.',
    source: lighthouse('enable text compression', 'performance/uses-text-compression'),
    find: ({ isHtml, bytes, context, page: { headers, status } }) =>
      when(
        isHtml &&
          isSuccess(status) &&
          bytes > worthPacking &&
          context.knowsDelivery &&
          headers['content-encoding'] === undefined,
        () =>
          `${bytes} bytes of HTML are sent uncompressed. Enable text compression (gzip, br or zstd) on the server.`,
      ),
  },
  {
    id: 'caching/missing',
    on: 'responses',
    severity: 'info',
    needs: 'headers',
    finds: 'A response without Cache-Control, Expires, ETag and Last-Modified',
    reason: 'Clients cannot revalidate the page, so each visit and each crawl downloads it in full.',
    source: caching,
    find: ({ context, page: { headers, status } }) =>
      when(
        isSuccess(status) && context.knowsDelivery && !cachingHeaders.some(name => name in headers),
        () => 'The response has no caching headers. Send at least ETag or Last-Modified.',
      ),
  },
  {
    id: 'caching/no-store',
    on: 'responses',
    severity: 'info',
    needs: 'headers',
    finds: 'HTML with Cache-Control: no-store',
    reason: 'Most browsers reload the page when a visitor navigates back.',
    source: webDev('back/forward cache', 'bfcache'),
    find: ({ isHtml, page: { headers } }) =>
      when(
        isHtml && hasWord(headers['cache-control'], 'no-store'),
        () => 'The response forbids all caching (no-store). Use no-cache unless the page is private.',
      ),
  },
  {
    id: 'caching/vary-everything',
    on: 'responses',
    severity: 'warning',
    needs: 'headers',
    finds: 'Vary: *',
    reason: 'Caches cannot reuse the response for any other request.',
    source: rfc(9110, '12.5.5', 'Vary'),
    find: ({ page: { headers } }) =>
      when(
        hasWord(headers.vary, '*'),
        () => 'Vary: * forbids every reuse. List the request headers that the page depends on.',
      ),
  },
  {
    id: 'speed/slow-answer',
    on: 'responses',
    severity: 'info',
    needs: 'time',
    finds: `More than ${slowMs} ms from the request to the last byte, including redirects, measured from this service's location`,
    reason: 'Visitors wait at least that long, and crawlers fetch fewer pages.',
    source: webDev('Time to First Byte', 'ttfb'),
    find: ({ context: { elapsedMs } }) =>
      when(
        elapsedMs > slowMs,
        () =>
          `The page took ${Math.round(elapsedMs)} ms, measured from this service's location. If this persists, check the server.`,
      ),
  },
]

const cachingHeaders = ['cache-control', 'expires', 'etag', 'last-modified']

/** Returns whether a list header contains the word, ignoring case. */
function hasWord(field: string | undefined, word: string): boolean {
  const words = field === undefined ? [] : field.toLowerCase().split(/[,;]/)
  return words.some(part => part.trim() === word)
}
