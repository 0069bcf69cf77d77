/** Stores the runs with a webhook in the table `webhook.run`, from their first event until their deletion. */
import { textOf } from '@tidemark/contracts/plain-text'
import type { NoticeEvent } from '@tidemark/contracts/run-settings'
import type { PoolClient } from 'pg'
import type { Wanted } from '../domain/decision.ts'
import type { Queued, Stamped } from './commits.ts'
import { facetOf } from './facet.ts'
import { forgetNotices } from './notices.ts'

export type WantedRun = Wanted & {
  runId: number
  projectId: number
  /** Start URL of the run. */
  url: string
  /** URL of the receiver. */
  target: string
  startedAt: string | null
  /** Events that are sent in addition to the webhook about the end of the run. */
  notices: readonly NoticeEvent[]
  /** Whether its comparison with the previous run was used for a decision. */
  isCompared: boolean
}

const insert = `
  insert into webhook.run (run_id, project_id, url, target, events, only_changed, is_monitored, previous_run_id,
    has_intent, only_matching, notices)
  select run_id, project_id, url, target, array(select json_array_elements_text(events)),
    only_changed, is_monitored, previous_run_id, has_intent, only_matching,
    array(select json_array_elements_text(notices))
  from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::json[], $6::boolean[], $7::boolean[], $8::bigint[],
    $9::boolean[], $10::boolean[], $11::json[])
    as queued (run_id, project_id, url, target, events, only_changed, is_monitored, previous_run_id, has_intent,
      only_matching, notices)
  on conflict (run_id) do nothing`

/** Inserts the runs that have a webhook. Deleted runs stay deleted. */
export async function recordRuns(client: PoolClient, runs: readonly Queued[]): Promise<void> {
  const wanted = runs.flatMap(({ settings, ...run }) =>
    settings.webhook === undefined ? [] : { ...run, webhook: settings.webhook, intent: settings.intent },
  )
  if (wanted.length === 0) return
  await client.query(insert, [
    wanted.map(run => run.runId),
    wanted.map(run => run.projectId),
    wanted.map(run => textOf(run.url)),
    wanted.map(run => textOf(run.webhook.url)),
    wanted.map(run => JSON.stringify(run.webhook.events)),
    wanted.map(run => run.webhook.onlyChanged),
    wanted.map(run => run.tick !== undefined),
    wanted.map(run => run.tick?.previousRunId ?? null),
    wanted.map(run => run.intent !== undefined),
    wanted.map(run => run.intent?.onlyMatching ?? false),
    wanted.map(run => JSON.stringify(run.webhook.notices ?? [])),
  ])
}

/** Records the starts of runs. Returns the new ones that select `crawl.started`, with the trace of each. */
export async function recordStarts(
  client: PoolClient,
  runs: readonly Stamped[],
): Promise<Map<number, string | null>> {
  if (runs.length === 0) return new Map()
  const { rows } = await client.query<{ run_id: number; is_selected: boolean }>(
    `update webhook.run set started_at = start.at
     from unnest($1::bigint[], $2::timestamptz[]) as start (run_id, at)
     where run.run_id = start.run_id and run.started_at is null
     returning run.run_id, 'crawl.started' = any(notices) as is_selected`,
    [runs.map(({ runId }) => runId), runs.map(({ at }) => at)],
  )
  const traces = new Map(runs.map(({ runId, trace }) => [runId, trace ?? null]))
  return new Map(
    rows
      .filter(({ is_selected: isSelected }) => isSelected)
      .map(({ run_id: runId }) => [runId, traces.get(runId) ?? null]),
  )
}

/** Returns runs by id, without deleted runs and runs that have no webhook. */
export async function wantedRuns(
  client: PoolClient,
  runIds: readonly number[],
): Promise<Map<number, WantedRun>> {
  if (runIds.length === 0) return new Map()
  const { rows } = await client.query<Row>(
    `select run_id as "runId", project_id as "projectId", url, target, events, only_changed as "onlyChanged",
       is_monitored as "isMonitored", previous_run_id as "previousRunId", started_at as "startedAt",
       is_compared as "isCompared", has_intent as "hasIntent", only_matching as "onlyMatching", notices
     from webhook.run where run_id = any($1) and target <> ''`,
    [runIds],
  )
  return new Map(rows.map(row => [row.runId, { ...row, startedAt: row.startedAt?.toISOString() ?? null }]))
}

type Row = Omit<WantedRun, 'startedAt'> & { startedAt: Date | null }

/**
 * Ends the pending deliveries of deleted runs or batches, deletes their notices and erases their data. The ids stay, so
 * that no webhook is sent for them again. Unpublished events are removed, because the stream of a deleted run accepts
 * none.
 */
export async function forgetRuns(client: PoolClient, runs: readonly Stamped[]): Promise<void> {
  if (runs.length === 0) return
  const ids = runs.map(({ runId }) => runId)
  await forgetNotices(client, ids)
  await client.query(
    `update webhook.run set url = '', target = '', ending = null, waits_until = null where run_id = any($1)`,
    [ids],
  )
  await client.query('delete from webhook.attempt where run_id = any($1)', [ids])
  await client.query(
    `update webhook.delivery set url = '', facts = null, last_error = null, is_sending = false,
       state = case state when 'pending' then 'deleted' else state end
     where run_id = any($1)`,
    [ids],
  )
  await client.query('delete from webhook.outbox where subject = any($1)', [ids.map(facetOf)])
}
