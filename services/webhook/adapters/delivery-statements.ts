/**
 * Defines the statements by which attempts change the table `webhook.delivery`, each for many rows. A statement that
 * changes several rows locks them in the order of their ids, so that no two statements deadlock. Conditions are checked
 * again on the locked rows, because a row may have changed meanwhile.
 */
import { maxAttempts } from '../domain/verdict.ts'
import { recordingAttempts } from './attempts.ts'

/** Deliveries that are due within this time, in milliseconds, may be claimed. The claimer waits for the rest of it. */
export const nearlyMs = 250

const isDue = `state = 'pending' and next_at <= clock_timestamp()`
const isNearlyDue = `state = 'pending' and next_at <= clock_timestamp() + interval '${nearlyMs} milliseconds'`
const mayBeClaimed = `${isNearlyDue} and attempts < ${maxAttempts} and not is_sending`

const locked = `
  locked as materialized (
    select run_id from webhook.delivery where run_id = any($1) order by run_id for update
  )`

/** Reads pending deliveries. `$1`: ids of runs. */
export const find = `
  select run_id as "runId", project_id as "projectId", host, attempts, is_sending as "isSending",
    extract(epoch from next_at - clock_timestamp())::float8 * 1000 as "dueInMs"
  from webhook.delivery where run_id = any($1) and state = 'pending'`

/**
 * Claims deliveries. The claimer waits until they are due, so no attempt is recorded with an earlier time. `$1`: ids of
 * runs; `$2`: the lease in seconds.
 */
export const claim = `
  with ${locked}
  update webhook.delivery as d
  set attempts = attempts + 1, is_sending = true, claimed_at = greatest(clock_timestamp(), next_at),
    next_at = clock_timestamp() + make_interval(secs => $2)
  from locked where d.run_id = locked.run_id and ${mayBeClaimed}
  returning d.run_id as "runId", project_id as "projectId", url, host, event, webhook_id as "webhookId", round,
    attempts as attempt, facts, trace`

/**
 * Records attempts. `$1` to `$9`: run, round, number, next state, wait in seconds and recorded columns of each attempt.
 */
export const settle = recordingAttempts(`
  with ${locked},
  result as (
    select * from unnest(
      $1::bigint[], $2::integer[], $3::integer[], $4::text[], $5::float8[],
      $6::integer[], $7::integer[], $8::text[], $9::text[]
    ) as result (run_id, round, attempt, state, wait, status, latency_ms, error, excerpt)
  ),
  changed as (
    update webhook.delivery as d
    set state = result.state, last_error = result.error, is_sending = false,
      next_at = clock_timestamp() + make_interval(secs => result.wait),
      ended_at = case result.state when 'pending' then null else clock_timestamp() end
    from result join locked using (run_id)
    where d.run_id = result.run_id and d.round = result.round and d.attempts = result.attempt
      and d.state = 'pending' and d.is_sending
    returning d.run_id, d.round, d.attempts, d.state, d.trace, d.claimed_at,
      result.status, result.latency_ms, result.error, result.excerpt
  )`)

/** Records an interrupted attempt. `$1`: id of the run; `$2` to `$5`: recorded columns of the attempt. */
export const interrupt = recordingAttempts(`
  with changed as (
    update webhook.delivery
    set is_sending = false, last_error = $4,
      state = case when attempts < ${maxAttempts} then 'pending' else 'dead' end,
      ended_at = case when attempts < ${maxAttempts} then null else clock_timestamp() end
    where run_id = $1 and ${isDue} and is_sending
    returning run_id, round, attempts, state, trace, claimed_at,
      $2::integer as status, $3::integer as latency_ms, $4::text as error, $5::text as excerpt
  )`)

/** Delays deliveries. `$1`: ids of runs; `$2`: the delay of each in seconds. */
export const putOff = `
  with ${locked},
  later as (select * from unnest($1::bigint[], $2::float8[]) as later (run_id, wait))
  update webhook.delivery as d
  set next_at = clock_timestamp() + make_interval(secs => later.wait), announced_at = null
  from later join locked using (run_id)
  where d.run_id = later.run_id and ${isNearlyDue} and not is_sending`

/** Forgets the announcements of deliveries that are not due. `$1`: ids of runs. */
export const forgetAnnouncement = `
  with ${locked}
  update webhook.delivery as d set announced_at = null
  from locked
  where d.run_id = locked.run_id and state = 'pending' and next_at > clock_timestamp()`
