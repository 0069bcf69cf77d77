/**
 * Inserts decisions into the table `webhook.delivery`: one row per run, even if several processes decide or a decision
 * repeats.
 */
import { hostOf } from '@tidemark/url/host'
import type { PoolClient } from 'pg'
import type { Decision } from '../domain/decision.ts'
import { type Facts, webhookIdOf } from '../domain/message.ts'
import { append } from './facet.ts'

export type Decided = Decision & {
  runId: number
  projectId: number
  target: string
  facts: Facts
  trace: string | null
}

/** A new decision with the id of its outbox row. */
export type Recorded = Pick<Decided, 'runId' | 'projectId' | 'state'> & { host: string; outboxId: number }

const insert = `
  insert into webhook.delivery (run_id, project_id, url, host, event, webhook_id, state, facts, trace, ended_at)
  select run_id, project_id, url, host, event, webhook_id, state, facts, trace,
    case state when 'pending' then null else clock_timestamp() end
  from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::json[], $9::text[])
    as decided (run_id, project_id, url, host, event, webhook_id, state, facts, trace)
  on conflict (run_id) do nothing
  returning run_id`

/** Inserts decisions and returns the new ones. If two decisions have the same run, the first one counts. */
export async function recordDecisions(
  client: PoolClient,
  decisions: readonly Decided[],
): Promise<Recorded[]> {
  const firsts = [...new Map(decisions.toReversed().map(one => [one.runId, one])).values()]
  if (firsts.length === 0) return []
  const { rows } = await client.query<{ run_id: number }>(insert, [
    ...[firsts.map(one => one.runId), firsts.map(one => one.projectId), firsts.map(one => one.target)],
    ...[
      firsts.map(one => hostOf(one.target)),
      firsts.map(one => one.event),
      firsts.map(({ runId, event }) => webhookIdOf(runId, event)),
      firsts.map(one => one.state),
    ],
    ...[firsts.map(one => JSON.stringify(one.facts)), firsts.map(one => one.trace)],
  ])
  const made = new Set(rows.map(row => row.run_id))
  const fresh = firsts.filter(one => made.has(one.runId)).sort((a, b) => a.runId - b.runId)
  const outboxIds = await append(client, fresh.map(firstCommitOf))
  return fresh.map((one, n) => {
    const { runId, projectId, state } = one
    return { runId, projectId, state, host: hostOf(one.target), outboxId: outboxIds[n] as number }
  })
}

function firstCommitOf({ runId, projectId, event, state, trace }: Decided) {
  const first = { runId, trace, isFirst: true }
  if (state !== 'pending')
    return {
      ...first,
      events: [{ type: 'DeliveryEnded' as const, data: { state, attempts: 0, error: null } }],
    }
  const webhookId = webhookIdOf(runId, event)
  return {
    ...first,
    events: [{ type: 'DeliveryDecided' as const, data: { runId, projectId, event, webhookId } }],
  }
}
