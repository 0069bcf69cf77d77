/** What a test asks of troubles: the first one that counts. */
import type { NatsConnection } from '@nats-io/transport-node'
import { healthOf } from './troubles.ts'

/** What keeps the service from its work and has lasted for long enough, the first of it; null where all is well. */
export const troubleOf = (nc: NatsConnection): string | null => healthOf(nc).faults[0] ?? null
