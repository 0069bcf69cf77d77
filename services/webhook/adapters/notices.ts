/** Inserts notices: one delivery per `webhook-id`, even if several processes decide or a decision repeats. */
import { hostOf } from '@tidemark/url/host'
import type { PoolClient } from 'pg'
import type { Waiting } from '../concurrency/outstanding.ts'
import { type NoticeFacts, noticeIdOf } from '../domain/notice.ts'

export type Notice = NoticeFacts & { projectId: number; target: string; trace: string | null }

const insert = `
  with decided as (
    select * from unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::json[], $8::text[])
      with ordinality as decided (run_id, webhook_id, project_id, url, host, event, facts, trace, place)
  ),
  made as (
    insert into webhook.notice (run_id, webhook_id) select run_id, webhook_id from decided order by place
    on conflict do nothing returning id, run_id, webhook_id
  )
  insert into webhook.delivery (run_id, project_id, url, host, event, webhook_id, state, facts, trace)
  select made.id, project_id, url, host, event, webhook_id, 'pending', facts, trace
  from made join decided using (run_id, webhook_id) order by made.id
  returning run_id as "runId", project_id as "projectId", host`

/** Inserts notices in the caller's transaction, and returns the new ones in order. */
export async function recordNotices(client: PoolClient, decided: readonly Notice[]): Promise<Waiting[]> {
  if (decided.length === 0) return []
  // Repeated commits may be in one batch.
  const notices = [...new Map(decided.map(notice => [noticeIdOf(notice), notice])).values()]
  const { rows } = await client.query<Omit<Waiting, 'isRetry'>>(insert, [
    notices.map(({ facts }) => facts.runId),
    notices.map(noticeIdOf),
    notices.map(({ projectId }) => projectId),
    notices.map(({ target }) => target),
    notices.map(({ target }) => hostOf(target)),
    notices.map(({ event }) => event),
    notices.map(({ facts }) => JSON.stringify(facts)),
    notices.map(({ trace }) => trace),
  ])
  return rows.map(row => ({ ...row, isRetry: false }))
}

/**
 * Locks the deliveries of runs and of their notices, in the order in which every other statement locks them. The
 * condition compares with one array, because two conditions joined by "or" would read the whole table.
 */
const lock = `
  select from webhook.delivery
  where run_id = any($1::bigint[] || array(select id from webhook.notice where run_id = any($1)))
  order by run_id for update`

/**
 * Deletes the notices of runs and their waiting pages, and locks all deliveries of these runs. The pages come first:
 * their lock waits for a transaction that makes a batch of them.
 */
export async function forgetNotices(client: PoolClient, runIds: readonly number[]): Promise<void> {
  await client.query('delete from webhook.page_batching where run_id = any($1)', [runIds])
  await client.query(lock, [runIds])
  await client.query(
    `with notice as (delete from webhook.notice where run_id = any($1) returning id),
       attempt as (delete from webhook.attempt where run_id in (select id from notice))
     delete from webhook.delivery where run_id in (select id from notice)`,
    [runIds],
  )
}
