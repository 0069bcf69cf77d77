/** Reads deliveries in the form of the API: the event, the receiver, and every attempt. */
import type { WebhookAttempt, WebhookDelivery } from '@tidemark/contracts/http/webhook'
import type { Pool } from 'pg'

const maxAttempts = 100

const find = `
  select run_id, webhook_id, event, url, state, decided_at, ended_at,
    case when state = 'pending' and not is_sending then next_at end as next_at
  from webhook.delivery where run_id = $1 and project_id = $2 and facts is not null`

const attempts = `
  select round, attempt, at, status, latency_ms, error, excerpt from webhook.attempt
  where run_id = $1 order by round desc, attempt desc limit ${maxAttempts}`

/** Returns the delivery of a run: none if the run has no webhook, belongs to another project, or is deleted. */
export const deliveriesOf =
  (pool: Pool) =>
  async (projectId: number, runId: number): Promise<WebhookDelivery[]> => {
    const { rows } = await pool.query<Row>(find, [runId, projectId])
    if (rows.length === 0) return []
    const { rows: tried } = await pool.query<Attempt>(attempts, [runId])
    return rows.map(row => viewOf(row, tried.toReversed().map(attemptOf)))
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

const viewOf = (row: Row, attempts: WebhookAttempt[]): WebhookDelivery => ({
  id: row.webhook_id,
  run_id: row.run_id,
  event: row.event,
  url: row.url,
  state: row.state,
  decided_at: row.decided_at.toISOString(),
  ended_at: row.ended_at?.toISOString() ?? null,
  next_attempt_at: row.next_at?.toISOString() ?? null,
  attempts,
})

type Attempt = Omit<WebhookAttempt, 'at' | 'response_excerpt'> & { at: Date; excerpt: string | null }

const attemptOf = ({ round, attempt, at, status, latency_ms, error, excerpt }: Attempt): WebhookAttempt => ({
  round,
  attempt,
  at: at.toISOString(),
  status,
  latency_ms,
  error,
  response_excerpt: excerpt,
})
