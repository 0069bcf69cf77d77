/** Measures the findings of `/v1/ready` by service, including services whose metrics are not scraped. */
import { services } from '@tidemark/contracts/services'
import { gauge } from '@tidemark/telemetry/metrics'
import type { Checks } from './readiness.ts'

/** Measures until it is disposed. */
export const measureReadiness = (ready: () => Promise<Checks>): Disposable =>
  gauge('tidemark.ready', async observe => {
    for (const [part, value] of readinessOf(await ready())) observe(value, { part })
  })

/** Returns each part, and 1 if it is ready, else 0. Without heartbeats no service has a value. */
export function readinessOf({ database, event_stream, worker_heartbeat }: Checks): [string, 0 | 1][] {
  const { status, missing = [] } = worker_heartbeat
  const known = status === 'fail' && missing.length === 0 ? [] : services
  return [
    ...known.map((part): [string, 0 | 1] => [part, missing.includes(part) ? 0 : 1]),
    ...Object.entries({ database, event_stream }).map(([part, { status }]): [string, 0 | 1] => [
      part,
      status === 'pass' ? 1 : 0,
    ]),
  ]
}
