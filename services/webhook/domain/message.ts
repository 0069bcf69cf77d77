/** What a receiver is told (specification, Events), and the name by which it can tell repeats. */
import type { WebhookEvent } from '@tidemark/contracts/run-settings'

/** What has changed since the run before. */
export type Difference = {
  previousRunId: number
  added: number
  removed: number
  changed: number
  unchanged: number
}

/** A run at its end, as far as it is told. Times are RFC 3339 in UTC. */
export type Facts = {
  url: string
  status: 'done' | 'failed'
  pageCount: number
  errorCount: number
  startedAt: string | null
  finishedAt: string
  errorMessage: string | null
  difference?: Difference
}

type Told = { runId: number; projectId: number; event: WebhookEvent; facts: Facts; deliveredAt: string }

/** The same at every attempt. */
export const webhookIdOf = (runId: number, event: WebhookEvent): string =>
  `msg_run${runId}_${event.replace('.', '_')}`

/** The body's bytes are what is signed, so they are made once and sent as they are. */
export const bodyOf = (told: Told): string => JSON.stringify(contentOf(told))

/** A body for a receiver that is tried out: as that of a run, of which there is none, and marked. */
export const sampleBodyOf = (projectId: number, now: string): string => {
  const facts: Facts = {
    url: 'https://example.com/',
    status: 'done',
    pageCount: 3,
    errorCount: 0,
    startedAt: now,
    finishedAt: now,
    errorMessage: null,
  }
  const content = contentOf({ runId: 0, projectId, event: 'crawl.done', facts, deliveredAt: now })
  return JSON.stringify({ ...content, test: true })
}

const contentOf = ({ runId, projectId, event, facts, deliveredAt }: Told) => ({
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
  ...(facts.difference && differenceOf(facts.difference)),
})

const differenceOf = ({ previousRunId, added, removed, changed, unchanged }: Difference) => ({
  diff: { added, removed, changed, unchanged },
  previous_run_id: previousRunId,
})
