/** Restarts ended deliveries with a first attempt. One transaction updates the row and its round, and adds the event. */
import { inTransaction } from '@tidemark/db/transaction'
import type { Pool, PoolClient } from 'pg'
import type { Unannounced } from './announcements.ts'
import { append } from './facet.ts'

export type Again = Unannounced & { outboxId: number | null }

export type Redeliveries = {
  /**
   * Restarts one delivery. Returns null if it does not exist or is not delivered or dead, and `exhausted` if it had
   * `maxRounds` rounds.
   */
  one(projectId: number, runId: number, webhookId: string): Promise<Again | 'exhausted' | null>
  /** Returns the time of the database, by which deliveries end. */
  now(): Promise<string>
  /** Restarts at most `limit` deliveries that died in the period, the earliest first. */
  dead(projectId: number, died: Period, limit: number): Promise<Again[]>
  countDead(projectId: number, died: Period): Promise<number>
}

/** `until` is exclusive. */
export type Period = { since: string; until: string }

/** Rounds of one delivery, including the first. They are limited because the stream of the run keeps them for ever. */
export const maxRounds = 20

const begin = `
  update webhook.delivery as d
  set state = 'pending', round = d.round + 1, attempts = 0, is_sending = false, last_error = null, ended_at = null,
    next_at = clock_timestamp(), announced_at = null`

const returned = 'returning d.run_id as "runId", d.webhook_id as "webhookId", d.round, d.trace, d.announced'

/** Matches the delivery of a run's end by the id of the run, and the delivery of a notice by the id of the notice. */
const hasEnded = `
  run_id = any(array[$1::bigint] || array(select id from webhook.notice where run_id = $1 and webhook_id = $3))
  and project_id = $2 and webhook_id = $3 and state in ('delivered', 'dead') and facts is not null`

const beginOne = `${begin} where ${hasEnded} and round - reopenings < ${maxRounds} ${returned}`

const findEnded = `select from webhook.delivery where ${hasEnded}`

const isDead = `
  project_id = $1 and state = 'dead' and ended_at >= $2 and ended_at < $3 and facts is not null
  and round - reopenings < ${maxRounds}`

const beginDead = `
  ${begin}
  from (
    select run_id from webhook.delivery where ${isDead} order by ended_at limit $4 for update skip locked
  ) as wanted
  where d.run_id = wanted.run_id
  ${returned}`

type Row = Unannounced & { webhookId: string; round: number; trace: string | null }

export const openRedeliveries = (pool: Pool): Redeliveries => ({
  one: (projectId, runId, webhookId) =>
    inTransaction(pool, async client => {
      const which = [runId, projectId, webhookId]
      const { rows } = await client.query<Row>(beginOne, which)
      const [again] = await appendOrders(client, rows)
      if (again !== undefined) return again
      const { rowCount } = await client.query(findEnded, which)
      return rowCount === 0 ? null : 'exhausted'
    }),

  async now() {
    // As text, because a `Date` has no microseconds, and would exclude a delivery that has just died.
    const { rows } = await pool.query<{ now: string }>('select clock_timestamp()::text as now')
    return (rows[0] as { now: string }).now
  },

  dead: (projectId, { since, until }, limit) =>
    inTransaction(pool, async client => {
      const { rows } = await client.query<Row>(beginDead, [projectId, since, until, limit])
      return appendOrders(client, rows)
    }),

  async countDead(projectId, { since, until }) {
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::integer as count from webhook.delivery where ${isDead}`,
      [projectId, since, until],
    )
    return rows[0]?.count ?? 0
  },
})

async function appendOrders(client: PoolClient, rows: readonly Row[]): Promise<Again[]> {
  const outboxIds = await append(
    client,
    rows.map(({ runId, webhookId, round, trace }) => ({
      runId,
      trace,
      events: [{ type: 'RedeliveryOrdered', data: { webhookId, round } }],
    })),
  )
  return rows.map(({ runId, announced }, n) => ({ runId, announced, outboxId: outboxIds[n] ?? null }))
}
