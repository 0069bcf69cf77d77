/** Rules of how a page is delivered: packed, cached, in time. */

import { isSuccess } from './answer.ts'
import { type Rule, when } from './rule.ts'
import { lighthouse, rfc, webDev } from './sources.ts'

const caching = rfc(9111, '4.2', 'freshness')
/** Below it a packed answer saves no packet. */
const worthPacking = 4 * 1024
/** "Poor" time to first byte; here for the whole page. */
const slowMs = 1800

export const deliveryRules: readonly Rule[] = [
  {
    id: 'compression/missing',
    on: 'answers',
    severity: 'warning',
    finds: `HTML of more than ${worthPacking} bytes that is sent without compression`,
    reason: 'It takes several times as long on a slow line.',
    source: lighthouse('enable text compression', 'performance/uses-text-compression'),
    find: ({ isHtml, bytes, context, page: { headers, status } }) =>
      when(
        isHtml &&
          isSuccess(status) &&
          bytes > worthPacking &&
          context.knowsDelivery &&
          headers['content-encoding'] === undefined,
        () => `${bytes} bytes of HTML are sent as they are. Let the server compress text (gzip, br or zstd).`,
      ),
  },
  {
    id: 'caching/missing',
    on: 'answers',
    severity: 'info',
    finds: 'An answer with neither Cache-Control, Expires, ETag nor Last-Modified',
    reason: 'Nobody can ask whether the page has changed: each visit and each crawl takes it whole.',
    source: caching,
    find: ({ context, page: { headers, status } }) =>
      when(
        isSuccess(status) && context.knowsDelivery && !cachingHeaders.some(name => name in headers),
        () => 'The answer says nothing by which it could be cached. Send at least an ETag or Last-Modified.',
      ),
  },
  {
    id: 'caching/no-store',
    on: 'answers',
    severity: 'info',
    finds: 'HTML with Cache-Control: no-store',
    reason: 'Going back to the page loads it anew, in most browsers.',
    source: webDev('back/forward cache', 'bfcache'),
    find: ({ isHtml, page: { headers } }) =>
      when(
        isHtml && hasWord(headers['cache-control'], 'no-store'),
        () =>
          'The page may not be kept anywhere (no-store). Unless it is for one person alone, use no-cache.',
      ),
  },
  {
    id: 'caching/vary-everything',
    on: 'answers',
    severity: 'warning',
    finds: 'Vary: *',
    reason: 'No cache can use the answer for a second request.',
    source: rfc(9110, '12.5.5', 'Vary'),
    find: ({ page: { headers } }) =>
      when(
        hasWord(headers.vary, '*'),
        () => 'Vary: * forbids every reuse. Name the fields that the page depends on.',
      ),
  },
  {
    id: 'speed/slow-answer',
    on: 'answers',
    severity: 'info',
    finds: `More than ${slowMs} ms from the request to the last byte, redirects included, measured where this service runs`,
    reason: 'Visitors wait at least as long, and crawlers fetch fewer pages.',
    source: webDev('Time to First Byte', 'ttfb'),
    find: ({ context: { elapsedMs } }) =>
      when(
        elapsedMs > slowMs,
        () =>
          `The page took ${Math.round(elapsedMs)} ms from here. Where that is so again, look at the server.`,
      ),
  },
]

const cachingHeaders = ['cache-control', 'expires', 'etag', 'last-modified']

/** Whether a field that is a list has that word, in any case. */
function hasWord(field: string | undefined, word: string): boolean {
  const words = field === undefined ? [] : field.toLowerCase().split(/[,;]/)
  return words.some(part => part.trim() === word)
}
