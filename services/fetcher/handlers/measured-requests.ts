/** Measures the duration of requests to hosts, and counts those that the fetcher refuses to send. */
import { counter, histogram } from '@tidemark/telemetry/metrics'
import type { RequestResult, SendRequest } from './send-request.ts'

/** Codes of requests that the fetcher refuses before it sends anything. */
const ofGuard = new Set(['private_address', 'blocked_domain', 'bad_url'])

export function measureRequests(sendRequest: SendRequest): SendRequest {
  const measure = histogram('tidemark.fetch.seconds')
  const refused = counter('tidemark.egress.refusals')
  return async (url, options) => {
    const startedAt = performance.now()
    const response = await sendRequest(url, options)
    measure((performance.now() - startedAt) / 1_000, { result: resultOf(response) })
    if ('error' in response && ofGuard.has(response.error.code)) refused(1, { reason: response.error.code })
    return response
  }
}

const resultOf = (response: RequestResult): string =>
  'error' in response ? response.error.code : `http_${Math.floor(response.fetched.status / 100)}xx`
