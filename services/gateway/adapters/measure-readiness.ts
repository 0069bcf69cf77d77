/** Tells what `/v1/ready` finds, service by service: what nobody scrapes is heard here all the same. */
import { services } from '@tidemark/contracts/services'
import { gauge } from '@tidemark/telemetry/metrics'
import type { Checks } from './readiness.ts'

/** Until it is disposed of. */
export const measureReadiness = (ready: () => Promise<Checks>): Disposable =>
  gauge('tidemark.ready', async tell => {
    const { database, event_stream, worker_heartbeat } = await ready()
    const missing = new Set(worker_heartbeat.missing)
    for (const part of services) tell(missing.has(part) ? 0 : 1, { part })
    for (const [part, { status }] of Object.entries({ database, event_stream }))
      tell(status === 'pass' ? 1 : 0, { part })
  })
