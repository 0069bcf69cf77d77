/** Reads deliveries in the form of the API: the event, the receiver, and every attempt. */
import type { WebhookAttempt, WebhookDelivery } from '@tidemark/contracts/http/webhook'
import type { ListDeliveries, ListDeliveriesResponse, Redeliver } from '@tidemark/contracts/rpc/webhook'
import type { Pool } from 'pg'

/** Maximum number of attempts of a delivery, the latest ones. */
const maxShown = 100
const defaultLimit = 100

const find = `
  select run_id, webhook_id, event, url, state, decided_at, ended_at,
    case when state = 'pending' and not is_sending then next_at end as next_at
  from webhook.delivery
  where run_id = any(array[$1::bigint] || array(select id from webhook.notice where run_id = $1))
    and project_id = $2 and facts is not null`

/**
 * Sorts by the time of the decision, so that a new delivery does not shift earlier ones for a client that reads page by
 * page. Sorted by id, the delivery of the run's end would precede all notices, although it is decided last.
 */
const findSome = `${find} order by decided_at, run_id limit $3 offset $4`
const findOne = `${find} and webhook_id = $3`

const attempts = `
  select tried.* from unnest($1::bigint[]) as wanted (run_id) cross join lateral (
    select run_id, round, attempt, at, status, latency_ms, error, excerpt from webhook.attempt
    where run_id = wanted.run_id order by round desc, attempt desc limit ${maxShown}
  ) as tried order by run_id, round, attempt`

/** Returns the deliveries of a run: none if the run has no webhook, belongs to another project, or is deleted. */
export const listDeliveries =
  (pool: Pool) =>
  async (wanted: ListDeliveries): Promise<ListDeliveriesResponse> => {
    const { projectId, runId, limit = defaultLimit, offset = 0 } = wanted
    const { rows } = await pool.query<Row>(findSome, [runId, projectId, limit + 1, offset])
    const deliveries = await viewsOf(pool, runId, rows.slice(0, limit))
    return { deliveries, ...(rows.length > limit && { hasMore: true }) }
  }

/**
 * Returns one delivery of a run; null if the run has no delivery with this id, belongs to another project, or is
 * deleted.
 */
export const findDelivery =
  (pool: Pool) =>
  async ({ projectId, runId, deliveryId }: Redeliver): Promise<WebhookDelivery | null> => {
    const { rows } = await pool.query<Row>(findOne, [runId, projectId, deliveryId])
    const [delivery = null] = await viewsOf(pool, runId, rows)
    return delivery
  }

async function viewsOf(pool: Pool, runId: number, rows: readonly Row[]): Promise<WebhookDelivery[]> {
  if (rows.length === 0) return []
  const { rows: tried } = await pool.query<Attempt>(attempts, [rows.map(row => row.run_id)])
  const byDelivery = Map.groupBy(tried, attempt => attempt.run_id)
  return rows.map(row => viewOf(runId, row, (byDelivery.get(row.run_id) ?? []).map(attemptOf)))
}

type Row = {
  run_id: number
  webhook_id: string
  event: WebhookDelivery['event']
  url: string
  state: string
  decided_at: Date
  ended_at: Date | null
  next_at: Date | null
}

const viewOf = (runId: number, row: Row, attempts: WebhookAttempt[]): WebhookDelivery => ({
  id: row.webhook_id,
  run_id: runId,
  event: row.event,
  url: row.url,
  state: row.state,
  decided_at: row.decided_at.toISOString(),
  ended_at: row.ended_at?.toISOString() ?? null,
  next_attempt_at: row.next_at?.toISOString() ?? null,
  attempts,
})

type Attempt = Omit<WebhookAttempt, 'at' | 'response_excerpt'> & {
  run_id: number
  at: Date
  excerpt: string | null
}

const attemptOf = ({ round, attempt, at, status, latency_ms, error, excerpt }: Attempt): WebhookAttempt => ({
  round,
  attempt,
  at: at.toISOString(),
  status,
  latency_ms,
  error,
  response_excerpt: excerpt,
})
