/**
 * The statements that attempts change webhook.delivery by, each for many rows. Those who change several lock them in
 * the order of their ids, so that no two wait for each other; and what was true of a row is asked again of what it
 * has become meanwhile.
 */
import { maxAttempts } from '../domain/verdict.ts'
import { notingAttempts } from './attempts.ts'

/** What is due within this may be claimed: whoever does waits for the rest. */
export const nearlyMs = 250

const isDue = `state = 'pending' and next_at <= clock_timestamp()`
const isNearlyDue = `state = 'pending' and next_at <= clock_timestamp() + interval '${nearlyMs} milliseconds'`
const mayBeClaimed = `${isNearlyDue} and attempts < ${maxAttempts} and not is_sending`

const locked = `
  locked as materialized (
    select run_id from webhook.delivery where run_id = any($1) order by run_id for update
  )`

/** `$1`: ids. */
export const find = `
  select run_id, project_id, host, attempts, is_sending,
    extract(epoch from next_at - clock_timestamp())::float8 * 1000 as due_in_ms
  from webhook.delivery where run_id = any($1) and state = 'pending'`

/** `$1`: ids; `$2`: the lease in seconds. */
export const claim = `
  with ${locked}
  update webhook.delivery as d
  set attempts = attempts + 1, is_sending = true, claimed_at = clock_timestamp(),
    next_at = clock_timestamp() + make_interval(secs => $2)
  from locked where d.run_id = locked.run_id and ${mayBeClaimed}
  returning d.run_id, project_id, url, host, event, webhook_id, round, attempts, facts, trace`

/** `$1` to `$9`: of each attempt its run, round, number, the state after it, a wait in seconds, and what is noted. */
export const settle = notingAttempts(`
  with ${locked},
  told as (
    select * from unnest(
      $1::bigint[], $2::integer[], $3::integer[], $4::text[], $5::float8[],
      $6::integer[], $7::integer[], $8::text[], $9::text[]
    ) as told (run_id, round, attempt, state, wait, status, latency_ms, error, excerpt)
  ),
  changed as (
    update webhook.delivery as d
    set state = told.state, last_error = told.error, is_sending = false,
      next_at = clock_timestamp() + make_interval(secs => told.wait),
      ended_at = case told.state when 'pending' then null else clock_timestamp() end
    from told join locked using (run_id)
    where d.run_id = told.run_id and d.round = told.round and d.attempts = told.attempt
      and d.state = 'pending' and d.is_sending
    returning d.run_id, d.round, d.attempts, d.state, d.trace, d.claimed_at,
      told.status, told.latency_ms, told.error, told.excerpt
  )`)

/** `$1`: an id; `$2` to `$5`: what is noted of the attempt that nobody told of. */
export const interrupt = notingAttempts(`
  with changed as (
    update webhook.delivery
    set is_sending = false, last_error = $4,
      state = case when attempts < ${maxAttempts} then 'pending' else 'dead' end,
      ended_at = case when attempts < ${maxAttempts} then null else clock_timestamp() end
    where run_id = $1 and ${isDue} and is_sending
    returning run_id, round, attempts, state, trace, claimed_at,
      $2::integer as status, $3::integer as latency_ms, $4::text as error, $5::text as excerpt
  )`)

/** `$1`: ids; `$2`: for how many seconds each. */
export const putOff = `
  with ${locked},
  later as (select * from unnest($1::bigint[], $2::float8[]) as later (run_id, wait))
  update webhook.delivery as d
  set next_at = clock_timestamp() + make_interval(secs => later.wait), announced_at = null
  from later join locked using (run_id)
  where d.run_id = later.run_id and ${isNearlyDue} and not is_sending`
