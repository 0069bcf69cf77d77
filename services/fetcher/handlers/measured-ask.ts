/** Measures the duration of requests to hosts, and counts those that the fetcher refuses to send. */
import { counter, histogram } from '@tidemark/telemetry/metrics'
import type { Ask, Asked } from './ask.ts'

/** Codes of requests that the fetcher refuses before it sends anything. */
const ofGuard = new Set(['private_address', 'blocked_domain', 'bad_url'])

export function measuredAsk(ask: Ask): Ask {
  const answered = histogram('tidemark.fetch.seconds')
  const refused = counter('tidemark.egress.refusals')
  return async (url, options) => {
    const startedAt = performance.now()
    const asked = await ask(url, options)
    answered((performance.now() - startedAt) / 1_000, { result: resultOf(asked) })
    if ('error' in asked && ofGuard.has(asked.error.code)) refused(1, { reason: asked.error.code })
    return asked
  }
}

const resultOf = (asked: Asked): string =>
  'error' in asked ? asked.error.code : `http_${Math.floor(asked.fetched.status / 100)}xx`
