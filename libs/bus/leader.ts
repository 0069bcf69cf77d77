/**
 * In a cluster each stream has a leader. During an election, which takes seconds, it has none. Requests are then
 * refused or get no response; nothing was done, so they can be repeated.
 */
import { JetStreamApiError } from '@nats-io/jetstream'
import { errors, type NatsConnection } from '@nats-io/transport-node'

/** Returns whether the server of this connection belongs to a cluster. */
export const isClustered = ({ info }: Pick<NatsConnection, 'info'>): boolean => Boolean(info?.cluster)

/** JetStream without a leader, a server that is no leader any more, and a stream whose servers are all away. */
const leaderless = new Set([10008, 10009, 10118])
const awayStatus = 503

/** Returns whether the request reached no leader, so that nothing was done. */
export function saysNoLeader(error: unknown): boolean {
  if (error instanceof JetStreamApiError)
    // A server that has just lost its leadership gives the reason in its text only.
    return leaderless.has(error.code) || (error.status === awayStatus && !error.code)
  return isWithoutStream(error)
}

/** No stream listens: none is declared for the subject, or a cluster elects its leader. Nothing was stored. */
export const isWithoutStream = (error: unknown): boolean =>
  error instanceof Error && error.name === 'JetStreamNotEnabled'

/** Returns whether the request reached no server or got no response. */
export const isUnheard = (error: unknown): boolean =>
  error instanceof errors.TimeoutError || error instanceof errors.RequestError
