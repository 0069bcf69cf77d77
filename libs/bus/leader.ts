/**
 * Recognizes requests that reached no leader. In a cluster each stream has a leader, except during an election, which
 * takes seconds. Requests are then refused or get no response. They had no effect, so they can be repeated.
 */
import { JetStreamApiError } from '@nats-io/jetstream'
import { errors, type NatsConnection } from '@nats-io/transport-node'

/** Returns whether the server of this connection belongs to a cluster. */
export const isClustered = ({ info }: Pick<NatsConnection, 'info'>): boolean => Boolean(info?.cluster)

/**
 * Error numbers for JetStream without a leader, a server that is no longer the leader, and a stream that is offline.
 */
const leaderless = new Set([10008, 10009, 10118])
const awayStatus = 503

/** Returns whether the request reached no leader, so that nothing was done. */
export function isNoLeaderError(error: unknown): boolean {
  if (error instanceof JetStreamApiError)
    // A server that has just lost its leadership gives the reason in its text only.
    return leaderless.has(error.code) || (error.status === awayStatus && !error.code)
  return isWithoutStream(error)
}

/** Returns whether no stream has stored a message: none is declared for the subject, or the stream has no leader. */
export const isWithoutStream = (error: unknown): boolean =>
  error instanceof Error && error.name === 'JetStreamNotEnabled'

/** Returns whether the request reached no server or got no response. */
export const gotNoResponse = (error: unknown): boolean =>
  error instanceof errors.TimeoutError || error instanceof errors.RequestError
