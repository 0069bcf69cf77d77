/** Fetches a page through a vendor's network. The URL is judged like the URL of a direct fetch. */
import type { FindBlocked } from '@tidemark/blocklist/open'
import type { ClientSettings } from '@tidemark/http/client'
import { FetchError } from '@tidemark/http/fetch-error'
import { judgeTarget, parseTarget } from '@tidemark/http/target'
import { costOf, type Fields, fault, fieldsIn, type Vendor } from '../adapters/vendor-api.ts'
import { refuseBlocked } from '../handlers/send-request.ts'
import type { Backend, BackendPage, ByOf } from './backend.ts'

type Ports = {
  vendor: Vendor
  clients: Pick<ClientSettings, 'guard' | 'resolver'>
  findBlocked: FindBlocked
}

/**
 * Factor from the size of a body to the size of the JSON that contains it. `besideBytes` is for the other fields of the
 * response.
 */
const maxOfBody = 2
const besideBytes = 1024 ** 2
const maxBytes = 64 * 1024 ** 2
const judgeMs = 2_000
const idleSeconds = 5
const maxSeconds = 120
const maxFieldLength = 1_024

export function vendorBackend({ vendor, clients, findBlocked }: Ports): Backend<ByOf<'vendor'>> {
  return async (request, by, context) => {
    const began = performance.now()
    try {
      const url = parseTarget(request.url)
      refuseBlocked(findBlocked(url.href))
      const refusal = await judgeTarget(clients.guard, url, clients.resolver, { timeoutMs: judgeMs })
      if (refusal) throw refusal
      const page = await vendor.post('/scrape', wish(url, by, request.timeoutMs), {
        maxBytes: Math.min(maxOfBody * context.maxBytes + besideBytes, maxBytes),
        timeoutMs: request.timeoutMs,
        signal: context.signal,
        callbacks: context,
      })
      const fetched = pageOf(page, url.href, context.maxBytes, request.cuts)
      refuseBlocked(findBlocked(fetched.url))
      return { fetched: { ...fetched, elapsedMs: performance.now() - began }, backOffMs: null }
    } catch (thrown) {
      context.signal.throwIfAborted()
      return { error: FetchError.from(thrown) }
    }
  }
}

function wish(url: URL, { country, waitFor }: ByOf<'vendor'>, timeoutMs: number): object {
  return {
    url: url.href,
    return_format: 'raw',
    return_headers: true,
    request: waitFor === null ? 'smart' : 'chrome',
    request_timeout: Math.min(Math.ceil(timeoutMs / 1000), maxSeconds),
    ...(country !== null && { country_code: country.toLowerCase() }),
    ...(waitFor === 'networkidle' && {
      wait_for: { idle_network: { timeout: { secs: idleSeconds, nanos: 0 } } },
    }),
  }
}

function pageOf(
  page: Fields,
  requestedUrl: string,
  maxBytes: number,
  cuts: boolean,
): Omit<BackendPage, 'elapsedMs'> {
  const { status, content, error } = page
  if (typeof error === 'string' && error !== '' && !content)
    throw fault(`it returned no page: ${error.slice(0, 200)}`, 0)
  if (typeof content !== 'string' || !isStatus(status)) throw fault('its response is not a page')
  const whole = Buffer.from(content)
  if (whole.length > maxBytes && !cuts)
    throw new FetchError('too_large', { because: `more than ${maxBytes} bytes` })
  return {
    url: addressIn(page.url) ?? requestedUrl,
    status,
    headers: headersIn(page.headers),
    body: whole.subarray(0, maxBytes),
    encodings: [],
    hops: [],
    costUsd: costOf(page),
  }
}

const isStatus = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 100 && Number(value) <= 599

function addressIn(value: unknown): string | null {
  const url = typeof value === 'string' ? URL.parse(value) : null
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null
}

/** Returns the header fields. The vendor returns text, which is UTF-8 whatever the encoding of the page was. */
function headersIn(value: unknown): Record<string, string> {
  const named = Object.entries(fieldsIn(value)).flatMap(([name, field]) =>
    typeof field === 'string' ? [[name.toLowerCase(), field.slice(0, maxFieldLength)] as const] : [],
  )
  const headers = Object.fromEntries(named)
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  return { ...headers, 'content-type': `${type.trim() || 'text/html'}; charset=utf-8` }
}
