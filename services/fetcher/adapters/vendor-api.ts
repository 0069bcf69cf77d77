/**
 * Sends requests to a vendor's network of browsers and proxies. The API is JSON over HTTP under VENDOR_URL, with
 * `Authorization: Bearer VENDOR_KEY`:
 *
 *     POST /scrape   {"url", "return_format": "raw", "return_headers": true, "request": "smart" | "chrome",
 *                     "request_timeout": seconds, "country_code"?: "de", "wait_for"?: {"idle_network": {"timeout":
 *                     {"secs", "nanos"}}}}
 *                 →  [{"url", "status", "content", "headers"?, "error"?, "costs"?: {"total_cost": dollars}}]
 *     POST /search   {"search", "search_limit", "fetch_page_content": false}
 *                 →  {"content": [{"url", "title", "description"?}], "costs"?}
 *     GET /data/credits  →  {"data": {"credits": ten thousandths of a dollar}}
 *
 * 401 and 403: invalid key. 402: no credit. 429: too many requests. A single result may be an object instead of a
 * list.
 */
import { FetchError } from '@tidemark/http/fetch-error'
import type { ApiRequest, ApiResponse, RequestApi } from './json-api.ts'

export type Vendor = {
  /**
   * Sends a request and returns the fields of the response, or of its first entry.
   * @throws FetchError `vendor`; `too_large`, `timeout`, `aborted`
   */
  post(path: '/scrape' | '/search', body: object, limits: Limits): Promise<Fields>
  /** Returns the remaining credit in dollars, or null if the vendor does not report it. Never rejects. */
  balanceUsd(): Promise<number | null>
}

export type Fields = Record<string, unknown>
type Limits = Pick<ApiRequest, 'maxBytes' | 'timeoutMs' | 'signal' | 'callbacks'>

const creditsPerDollar = 10_000
const balanceLimits = { maxBytes: 65_536, timeoutMs: 5_000 }
const cacheMs = 60_000

/**
 * Returns the client of a vendor.
 * @param url VENDOR_URL, with or without a trailing slash
 */
export function createVendor(requestApi: RequestApi, url: string, key: string): Vendor {
  let known: { balance: Promise<number | null>; until: number } | null = null

  async function send(path: string, body: object | undefined, limits: Limits): Promise<unknown> {
    const request = { url: `${url.replace(/\/$/, '')}${path}`, key, ...(body && { body }), ...limits }
    const received = await requestApi(request).catch(thrown => {
      throw failure(FetchError.from(thrown))
    })
    refuseFault(received)
    return received.json
  }

  async function readBalance(): Promise<number | null> {
    const response = await send('/data/credits', undefined, balanceLimits).catch(() => null)
    const credits = fieldsIn(fieldsIn(response).data).credits
    return typeof credits === 'number' && Number.isFinite(credits) ? credits / creditsPerDollar : null
  }

  return {
    post: async (path, body, limits) => {
      const response = await send(path, body, limits)
      return fieldsIn(Array.isArray(response) ? response[0] : response)
    },
    balanceUsd() {
      const now = performance.now()
      if (known === null || known.until < now) known = { balance: readBalance(), until: now + cacheMs }
      return known.balance
    },
  }
}

/** Returns the cost in dollars; 0 if the vendor does not report it. */
export function costOf({ costs }: Fields): number {
  const cost = fieldsIn(costs).total_cost
  return typeof cost === 'number' && cost >= 0 && Number.isFinite(cost) ? cost : 0
}

/** Returns the properties of an object, and an empty object for any other value. */
export const fieldsIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

const asItIs = new Set(['too_large', 'aborted', 'timeout'])

function failure(error: FetchError): FetchError {
  if (asItIs.has(error.code)) return error
  const { transient, message } = error
  const because =
    error.code === 'too_many_redirects' ? 'it answered with a redirect, which is not followed' : message
  return new FetchError('vendor', { because, cause: error, transient })
}

function refuseFault({ status, isJson, retryAfterMs }: ApiResponse): void {
  if (status === 401 || status === 403) throw fault(`it does not accept VENDOR_KEY (${status})`)
  if (status === 402) throw fault('its account has no credit (402)')
  if (status === 429) throw fault('it limits our requests (429)', retryAfterMs ?? 0)
  if (status >= 500) throw fault(`it answered ${status}`, retryAfterMs ?? 0)
  if (status < 200 || status > 299) throw fault(`it answered ${status}`)
  if (!isJson) throw fault('its response is not JSON')
}

/**
 * Returns the error of a vendor that failed.
 * @param retryAfterMs set if another attempt may help
 */
export const fault = (because: string, retryAfterMs?: number): FetchError =>
  new FetchError('vendor', {
    because,
    transient: retryAfterMs !== undefined,
    ...(retryAfterMs && { retryAfterMs }),
  })
