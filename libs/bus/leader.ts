/**
 * In a cluster of servers each stream has a leader, and for the seconds in which another is chosen it has none. Who
 * asks it then hears that, or nothing at all; nothing was done, so it is asked again.
 */
import { JetStreamApiError } from '@nats-io/jetstream'
import { errors, type NatsConnection } from '@nats-io/transport-node'

/** Whether the server of this connection is one of a cluster. */
export const isClustered = ({ info }: Pick<NatsConnection, 'info'>): boolean => Boolean(info?.cluster)

/** JetStream without its leader, somebody who no longer leads, a stream none of whose servers is there. */
const leaderless = new Set([10008, 10009, 10118])
const awayStatus = 503

/** Whether nobody led what was asked for, so that nothing of it was done. */
export function saysNoLeader(error: unknown): boolean {
  if (error instanceof JetStreamApiError)
    // Who has just lost his lead says why in words alone.
    return leaderless.has(error.code) || (error.status === awayStatus && !error.code)
  return isRefusedByNobody(error)
}

/** No stream listens: there is none for the subject, or a cluster is choosing its leader. Nothing was stored. */
export const isRefusedByNobody = (error: unknown): boolean =>
  error instanceof Error && error.name === 'JetStreamNotEnabled'

/** Whether it was asked in vain. */
export const isUnheard = (error: unknown): boolean =>
  error instanceof errors.TimeoutError || error instanceof errors.RequestError
