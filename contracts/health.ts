/**
 * Why a process cannot do its work, in names that stay: for probes, alerts and those who look things up. Each name is
 * written before what happened, as in `disk_full: the projector gets nowhere in RUNS`.
 */

/** Name → what it means. What to do about each stands in docs/operating.md. */
export const causes = {
  starting: 'not everything that it works with has been there once',
  stopping: 'it was told to stop',
  nats_away: 'there is no connection to NATS',
  jetstream_away: 'NATS is there and its streams are not',
  database_away: 'Postgres does not answer',
  database_read_only: 'Postgres takes no writes',
  disk_full: 'Postgres has no room on its disk',
  redis_away: 'Redis does not answer, and each process goes by what it knows itself',
  bodies_away: 'the store of bodies does not answer, or refuses',
  stream_full: 'a stream holds as much as it may',
  storage_full: 'NATS has no room for any stream',
  consumer_gone: 'the consumer of a queue is not there',
  consumer_stuck: 'what was taken from a queue does not come to an end',
  projection_stuck: 'a stream cannot be turned into rows',
  projection_lag: 'rows are far behind their stream',
  stream_went_backwards: 'a stream ends before what was read of it',
  shards_not_leased: 'no shard of runs could be taken or kept',
  outbox_stuck: 'what was decided cannot be published',
  loop_failing: 'what is done every so often fails each time',
  loop_stuck: 'what is done every so often does not come to an end',
  secret_unreadable: 'what was sealed with another key cannot be read',
  certificate_expires: 'the certificate that is shown has ended, or soon will',
} as const

export type Cause = keyof typeof causes

/** What happened, under its name. */
export const named = (cause: Cause, says: string): string => `${cause}: ${says}`

/** How a service of a process does, each in sentences that begin with a cause. */
export type ServiceHealth = {
  /** What has to be there once before it serves. */
  starting: string[]
  /** What keeps it from its work. */
  faults: string[]
  /** What somebody should see to, though it works. */
  warnings: string[]
}

/** Within a process, what is said here is heard by whoever answers probes. */
export const healthChannel = 'tidemark.health'

/** A service that is there to be asked, or no longer; or what becomes of the process as a whole. */
export type HealthNews =
  | { service: string; instance: string; look: (() => ServiceHealth) | null }
  | { process: 'started' | 'stopping' }
