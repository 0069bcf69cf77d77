/** Measures when the served certificate expires, and warns in time for its renewal. */
import { named } from '@tidemark/contracts/health'
import { gauge } from '@tidemark/telemetry/metrics'
import type { Tls } from './tls.ts'

const earlyMs = 14 * 86_400_000

/** Measures the expiry time until it is disposed. */
export const measureCertificate = (shown: () => Tls): Disposable =>
  gauge('tidemark.certificate.expires.seconds', observe => observe(shown().life.until / 1_000, {}))

/** Returns a warning two weeks before the end, or in the last third of a shorter life; else null. */
export function certificateWarning({ life: { from, until } }: Tls, now = Date.now()): string | null {
  if (now < until - Math.min(earlyMs, (until - from) / 3)) return null
  return named(
    'certificate_expires',
    `that in TLS_CERT ends on ${new Date(until).toISOString().slice(0, 10)}`,
  )
}
