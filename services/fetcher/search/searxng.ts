/**
 * Searches by the API of SearXNG: `GET …/search?q=&format=json&pageno=` returns `{"results": [{"url", "title",
 * "content"}]}`, ten or twenty per page. It costs nothing.
 */
import { FetchError } from '@tidemark/http/fetch-error'
import type { RequestApi } from '../adapters/json-api.ts'
import { fieldsIn } from '../adapters/vendor-api.ts'
import { Hits, type SearchEngine } from './engine.ts'

const maxPages = 10
const pageBytes = 4 * 1024 ** 2
const usualMs = 10_000

/**
 * Returns the search engine.
 * @param address URL of the instance, or of its search page
 * @param pageMs timeout of one page of results, in milliseconds
 */
export function searxng(requestApi: RequestApi, address: string, pageMs = usualMs): SearchEngine {
  const base = new URL(address)
  if (base.pathname === '/') base.pathname = '/search'

  async function page(query: string, number: number, signal: AbortSignal): Promise<unknown> {
    const url = new URL(base)
    for (const [name, value] of Object.entries({ q: query, format: 'json', pageno: String(number) }))
      url.searchParams.set(name, value)
    const limits = { maxBytes: pageBytes, timeoutMs: pageMs, signal }
    const { status, isJson, json, retryAfterMs } = await requestApi({ url: url.href, ...limits })
    if (status !== 200) throw fault(`it answered ${status}`, status === 429 || status >= 500, retryAfterMs)
    if (!isJson) throw fault('its response is not JSON: enable the format json in its settings', false)
    return fieldsIn(json).results
  }

  return async (query, limit, signal) => {
    const hits = new Hits(limit)
    for (let number = 1; number <= maxPages && !hits.isFull; number++) {
      const next = await page(query, number, signal).catch(thrown => {
        // The hits of earlier pages are worth more than an error.
        if (hits.found.length > 0) return []
        throw thrown
      })
      if (hits.add(next, 'content') === 0) break
    }
    return { hits: hits.found, costUsd: 0 }
  }
}

const fault = (because: string, transient: boolean, retryAfterMs: number | null = null): FetchError =>
  new FetchError('protocol', { because, transient, ...(retryAfterMs && { retryAfterMs }) })
