/**
 * Stable names of the causes for which a process cannot work, used in probes, alerts and the documentation. A message
 * begins with the name, as in `disk_full: the projector gets nowhere in RUNS`.
 */

/** Name → meaning. docs/operating.md describes the remedies. */
export const causes = {
  starting: 'a dependency has not been available yet',
  stopping: 'the process is stopping',
  nats_away: 'there is no connection to NATS, or NATS does not respond',
  subscription_rejected: 'NATS rejects a subscription, usually because its users are of an earlier version',
  publish_rejected: 'NATS rejects a message, usually because its users are of an earlier version',
  jetstream_away: 'NATS responds, but streams are missing',
  database_away: 'Postgres does not respond',
  database_read_only: 'Postgres is read-only',
  disk_full: 'the disk of Postgres is full',
  event_loop_stalled: 'the event loop of this process was blocked, or the process got no CPU time',
  redis_away: 'Redis does not respond, and each process applies rate limits alone',
  bodies_away: 'the store of bodies does not respond, or rejects requests',
  stream_full: 'a stream has reached its size limit',
  storage_full: 'the file store of NATS is full',
  consumer_gone: 'the consumer of a queue is missing',
  consumer_stuck: 'the processing of messages from a queue does not finish',
  projection_stuck: 'a projection cannot store the events of a stream',
  projection_lag: 'rows are far behind their stream',
  stream_went_backwards: 'a stream ends before the last message that was read from it',
  shards_not_leased: 'no shard of runs could be acquired or renewed',
  outbox_stuck: 'decisions cannot be published',
  loop_failing: 'a periodic task fails each time',
  loop_stuck: 'a periodic task does not finish',
  secret_unreadable: 'secrets that are encrypted with another key cannot be decrypted',
  certificate_expires: 'the TLS certificate has expired or expires soon',
} as const

export type Cause = keyof typeof causes

/** Returns a sentence that begins with the name of the cause. */
export const named = (cause: Cause, sentence: string): string => `${cause}: ${sentence}`

/** The health of a service in a process. Each sentence begins with a cause. */
export type ServiceHealth = {
  /** Dependencies that must be available once before the service starts. */
  starting: string[]
  /** Problems that prevent the service from working. */
  faults: string[]
  /** Problems that need attention although the service works. */
  warnings: string[]
}

/** Within a process, the server of the probes subscribes to this channel. */
export const healthChannel = 'tidemark.health'

/** A service that starts or stops, or a new state of the whole process. */
export type HealthNews =
  | { service: string; instance: string; look: (() => ServiceHealth) | null }
  | { process: 'started' | 'stopping' }
