/** What a receiver is told (specification, Events), and the name by which it can tell repeats. */
import type { WebhookEvent } from '@tidemark/contracts/run-settings'

/** A run at its end, as far as it is told. Times are RFC 3339 in UTC. */
export type Facts = {
  url: string
  status: 'done' | 'failed'
  pageCount: number
  errorCount: number
  startedAt: string | null
  finishedAt: string
  errorMessage: string | null
}

type Told = { runId: number; projectId: number; event: WebhookEvent; facts: Facts; deliveredAt: string }

/** The same at every attempt. */
export const webhookIdOf = (runId: number, event: WebhookEvent): string =>
  `msg_run${runId}_${event.replace('.', '_')}`

/** The body's bytes are what is signed, so they are made once and sent as they are. */
export const bodyOf = ({ runId, projectId, event, facts, deliveredAt }: Told): string =>
  JSON.stringify({
    id: runId,
    project_id: projectId,
    url: facts.url,
    status: facts.status,
    page_count: facts.pageCount,
    error_count: facts.errorCount,
    started_at: facts.startedAt,
    finished_at: facts.finishedAt,
    error_message: facts.errorMessage,
    delivered_at: deliveredAt,
    event,
  })
