/**
 * Inserts decisions into the table `webhook.delivery`: one row per run, even if several processes decide or a decision
 * repeats.
 */
import { hostOf } from '@tidemark/url/host'
import type { PoolClient } from 'pg'
import type { Decision } from '../domain/decision.ts'
import { type BatchFacts, type EndEvent, type Facts, webhookIdOf } from '../domain/message.ts'
import { append, type StoredEvent } from './facet.ts'

export type Decided = Pick<Decision, 'state'> & {
  /** The negative id of a batch for its webhook. */
  runId: number
  event: EndEvent
  projectId: number
  target: string
  facts: Facts | BatchFacts
  trace: string | null
  /** How often the run was reopened before this end. */
  reopenings: number
}

/** A new decision with the id of its outbox row. */
export type Recorded = Pick<Decided, 'runId' | 'projectId' | 'state'> & {
  host: string
  outboxId: number
  /** Whether the run had no delivery before. */
  isFirst: boolean
}

const insert = `
  insert into webhook.delivery as d
    (run_id, project_id, url, host, event, webhook_id, state, facts, trace, reopenings, ended_at)
  select run_id, project_id, url, host, event, webhook_id, state, facts, trace, reopenings,
    case state when 'pending' then null else clock_timestamp() end
  from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::json[], $9::text[],
    $10::integer[])
    as decided (run_id, project_id, url, host, event, webhook_id, state, facts, trace, reopenings)
  on conflict (run_id) do update
  set url = excluded.url, host = excluded.host, event = excluded.event, webhook_id = excluded.webhook_id,
    state = excluded.state, facts = excluded.facts, trace = excluded.trace, reopenings = excluded.reopenings,
    ended_at = excluded.ended_at, round = d.round + 1, attempts = 0, is_sending = false, last_error = null,
    decided_at = clock_timestamp(), next_at = clock_timestamp(), announced_at = null
  where d.reopenings < excluded.reopenings and d.facts is not null
  returning run_id, round`

/**
 * Inserts decisions and returns the new ones. The end of a reopened run replaces the delivery of the earlier end. If two
 * decisions are about the same end, the first one counts.
 */
export async function recordDecisions(
  client: PoolClient,
  decisions: readonly Decided[],
): Promise<Recorded[]> {
  const inOrder = decisions.toReversed().sort((a, b) => a.reopenings - b.reopenings)
  // Sorted by id, because every statement locks rows in this order.
  const firsts = [...new Map(inOrder.map(one => [one.runId, one])).values()].sort((a, b) => a.runId - b.runId)
  if (firsts.length === 0) return []
  const { rows } = await client.query<{ run_id: number; round: number }>(insert, [
    firsts.map(one => one.runId),
    firsts.map(one => one.projectId),
    firsts.map(one => one.target),
    firsts.map(one => hostOf(one.target)),
    firsts.map(one => one.event),
    firsts.map(webhookIdOf),
    firsts.map(one => one.state),
    firsts.map(one => JSON.stringify(one.facts)),
    firsts.map(one => one.trace),
    firsts.map(one => one.reopenings),
  ])
  const made = new Map(rows.map(row => [row.run_id, row.round]))
  const fresh = firsts.filter(one => made.has(one.runId))
  const outboxIds = await append(
    client,
    fresh.map(one => ({ ...commitOf(one), isFirst: made.get(one.runId) === 1 })),
  )
  return fresh.map((one, n) => {
    const { runId, projectId, state } = one
    const isFirst = made.get(runId) === 1
    return { runId, projectId, state, isFirst, host: hostOf(one.target), outboxId: outboxIds[n] as number }
  })
}

function commitOf(decided: Decided) {
  const { runId, projectId, event, state, trace } = decided
  const first = { runId, trace }
  if (state !== 'pending')
    return {
      ...first,
      events: [{ type: 'DeliveryEnded' as const, data: { state, attempts: 0, error: null } }],
    }
  return { ...first, events: [decisionOf({ runId, projectId, event }, webhookIdOf(decided))] }
}

const decisionOf = (
  { runId, projectId, event }: Pick<Decided, 'runId' | 'projectId' | 'event'>,
  webhookId: string,
): StoredEvent =>
  event === 'batch.done'
    ? { type: 'BatchDeliveryDecided', data: { batchId: -runId, projectId, webhookId } }
    : { type: 'DeliveryDecided', data: { runId, projectId, event, webhookId } }
