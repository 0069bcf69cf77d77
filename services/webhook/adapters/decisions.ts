/** webhook.delivery, as decisions make it: one row a run, whoever decides and however often. */
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

const insert = `
  insert into webhook.delivery (run_id, project_id, url, host, event, webhook_id, state, facts, trace, ended_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, case $7 when 'pending' then null else clock_timestamp() end)
  on conflict (run_id) do nothing`

/** Null when it was decided before, and else the outbox row that says so. */
export async function recordDecision(client: PoolClient, decided: Decided): Promise<number | null> {
  const { runId, projectId, target, event, state, facts, trace } = decided
  const webhookId = webhookIdOf(runId, event)
  const host = URL.parse(target)?.host ?? ''
  const { rowCount } = await client.query(insert, [
    ...[runId, projectId, target, host, event, webhookId, state],
    ...[JSON.stringify(facts), trace],
  ])
  if (rowCount === 0) return null
  const first = { runId, trace, isFirst: true }
  return state === 'pending'
    ? append(client, {
        ...first,
        events: [{ type: 'DeliveryDecided', data: { runId, projectId, event, webhookId } }],
      })
    : append(client, {
        ...first,
        events: [{ type: 'DeliveryEnded', data: { state, attempts: 0, error: null } }],
      })
}
