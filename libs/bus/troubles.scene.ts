/** Reads the troubles of a service for tests. */
import type { NatsConnection } from '@nats-io/transport-node'
import { healthOf } from './troubles.ts'

/** Returns the first lasting fault of the service; null: there is no fault. */
export const faultOf = (nc: NatsConnection): string | null => healthOf(nc).faults[0] ?? null
