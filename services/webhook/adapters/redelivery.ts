/** Deliveries that have ended, begun once more from a first attempt: the row, its event and its round at once. */
import { inTransaction } from '@tidemark/db/transaction'
import type { Pool, PoolClient } from 'pg'
import type { Unannounced } from './announcements.ts'
import { append } from './facet.ts'

export type Again = Unannounced & { outboxId: number }

export type Redeliveries = {
  /** Null when it is not there, or has no end that may be repeated. */
  one(projectId: number, runId: number, webhookId: string): Promise<Again | null>
  /** Of what died since then, the earliest first, and at most so many. */
  dead(projectId: number, since: string, most: number): Promise<Again[]>
  countDead(projectId: number, since: string): Promise<number>
}

const begin = `
  update webhook.delivery as d
  set state = 'pending', round = d.round + 1, attempts = 0, is_sending = false, last_error = null, ended_at = null,
    next_at = clock_timestamp(), announced_at = null`

const returned = 'returning d.run_id, d.webhook_id, d.round, d.trace, d.announced'

const beginOne = `
  ${begin}
  where run_id = $1 and project_id = $2 and webhook_id = $3 and state in ('delivered', 'dead') and facts is not null
  ${returned}`

const isDead = `project_id = $1 and state = 'dead' and ended_at >= $2 and facts is not null`

const beginDead = `
  ${begin}
  from (
    select run_id from webhook.delivery where ${isDead} order by ended_at limit $3 for update skip locked
  ) as wanted
  where d.run_id = wanted.run_id
  ${returned}`

/** Of rounds longer ago, attempts are kept no more. */
const keptRounds = 20

type Row = { run_id: number; webhook_id: string; round: number; trace: string | null; announced: number }

export const openRedeliveries = (pool: Pool): Redeliveries => ({
  one: (projectId, runId, webhookId) =>
    inTransaction(pool, async client => {
      const { rows } = await client.query<Row>(beginOne, [runId, projectId, webhookId])
      return rows[0] === undefined ? null : tell(client, rows[0])
    }),

  dead: (projectId, since, most) =>
    inTransaction(pool, async client => {
      const { rows } = await client.query<Row>(beginDead, [projectId, since, most])
      const again: Again[] = []
      for (const row of rows) again.push(await tell(client, row))
      return again
    }),

  async countDead(projectId, since) {
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::integer as count from webhook.delivery where ${isDead}`,
      [projectId, since],
    )
    return rows[0]?.count ?? 0
  },
})

async function tell(client: PoolClient, row: Row): Promise<Again> {
  const { run_id: runId, webhook_id: webhookId, round, trace, announced } = row
  await client.query('delete from webhook.attempt where run_id = $1 and round <= $2', [
    runId,
    round - keptRounds,
  ])
  const outboxId = await append(client, {
    runId,
    trace,
    events: [{ type: 'RedeliveryOrdered', data: { webhookId, round } }],
  })
  return { runId, announced, outboxId }
}
