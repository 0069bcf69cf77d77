/** Tells until when the certificate that is shown is good, and warns while there is time to renew it. */
import { named } from '@tidemark/contracts/health'
import { gauge } from '@tidemark/telemetry/metrics'
import type { Tls } from './tls.ts'

const earlyMs = 14 * 86_400_000

/** Until it is disposed of. */
export const measureCertificate = (shown: () => Tls): Disposable =>
  gauge('tidemark.certificate.expires.seconds', tell => tell(shown().life.until / 1_000, {}))

/** What somebody should see to, two weeks before its end, or with a third of a shorter life to go; else null. */
export function certificateWarning({ life: { from, until } }: Tls, now = Date.now()): string | null {
  if (now < until - Math.min(earlyMs, (until - from) / 3)) return null
  return named(
    'certificate_expires',
    `that in TLS_CERT ends on ${new Date(until).toISOString().slice(0, 10)}`,
  )
}
