/** Builds the body of a webhook (specification, Events), and the id by which a receiver detects duplicates. */
import type { IntentJudgement } from '@tidemark/contracts/diff'
import type { BatchCounts } from '@tidemark/contracts/http/scan-batch'
import type { ListedPage } from '@tidemark/contracts/rpc/exports'
import type { NoticeEvent, WebhookEvent } from '@tidemark/contracts/run-settings'

/** An event about the end of a run, or of a batch of scans. */
export type EndEvent = WebhookEvent | 'batch.done'

/** An event that a webhook sends. */
export type SentEvent = EndEvent | NoticeEvent

/** Counts of pages compared with the previous run. */
export type Difference = {
  previousRunId: number
  added: number
  removed: number
  changed: number
  unchanged: number
}

/** The end of a run as a webhook reports it. Times are RFC 3339 in UTC. */
export type Facts = {
  url: string
  status: 'done' | 'failed'
  pageCount: number
  errorCount: number
  startedAt: string | null
  finishedAt: string
  errorMessage: string | null
  difference?: Difference
  /** The judgement, if the monitor has an intent. */
  intent?: IntentJudgement
}

/** The end of a batch as a webhook reports it. */
export type BatchFacts = { counts: BatchCounts; createdAt: string; finishedAt: string }

/** A page as `page.fetched` reports it. */
export type FetchedPage = Pick<
  ListedPage,
  'id' | 'url' | 'status' | 'bytes' | 'title' | 'contentHash' | 'fetchedAt'
>

/** The facts of notices, which contain the id of their run. Times are RFC 3339 in UTC. */
export type StartedFacts = { runId: number; url: string; startedAt: string }
export type PagesFacts = { runId: number; url: string; batch: number; pages: readonly FetchedPage[] }
export type FailedFacts = Facts & { runId: number }

/** The facts of a delivery. Only those of a notice contain the id of the run. */
export type AnyFacts = Facts | BatchFacts | StartedFacts | PagesFacts | FailedFacts

/** Returns the id of the run that a delivery is about, or the negative id of its batch. */
export const subjectOf = ({ runId, facts }: { runId: number; facts: AnyFacts }): number =>
  'runId' in facts ? facts.runId : runId

type Notification = {
  runId: number
  projectId: number
  event: SentEvent
  facts: AnyFacts
  deliveredAt: string
}

type Ended = { runId: number; event: EndEvent; reopenings: number }

/** Returns the id, which is the same at every attempt. Each end of a reopened run has its own. */
export const webhookIdOf = ({ runId, event, reopenings }: Ended): string =>
  runId < 0 ? `msg_batch${-runId}_batch_done` : idOfRun(runId, event, endNumber(reopenings))

/** Returns the id of a webhook about a run. The number distinguishes webhooks with the same event; null: the first one. */
export const idOfRun = (runId: number, event: SentEvent, number: number | null): string =>
  `msg_run${runId}_${event.replace('.', '_')}${number === null ? '' : `_${number}`}`

/** Returns the number of an end in the id of its webhook; null: the run was not reopened. */
export const endNumber = (reopenings: number): number | null => (reopenings > 0 ? reopenings + 1 : null)

/** Returns the body. The signature covers its exact bytes, so it is built once and sent unchanged. */
export const bodyOf = (notification: Notification): string => JSON.stringify(anyContentOf(notification))

function anyContentOf({ facts, ...about }: Notification): object {
  if ('counts' in facts) return batchContent({ ...about, facts })
  if ('pages' in facts) return pagesContent({ ...about, facts })
  return 'pageCount' in facts ? contentOf({ ...about, facts }) : startedContent({ ...about, facts })
}

type About<SomeFacts> = Notification & { facts: SomeFacts }

const startedContent = ({ runId, projectId, event, facts, deliveredAt }: About<StartedFacts>) => ({
  id: runId,
  project_id: projectId,
  url: facts.url,
  status: 'running',
  started_at: facts.startedAt,
  delivered_at: deliveredAt,
  event,
})

const pagesContent = ({ runId, projectId, event, facts, deliveredAt }: About<PagesFacts>) => ({
  id: runId,
  project_id: projectId,
  url: facts.url,
  batch: facts.batch,
  pages: facts.pages.map(({ id, url, status, bytes, fetchedAt, title, contentHash }) => ({
    ...{ id, url, status, bytes, fetched_at: fetchedAt, title, content_hash: contentHash },
  })),
  delivered_at: deliveredAt,
  event,
})

const batchContent = ({ runId, projectId, event, facts, deliveredAt }: About<BatchFacts>) => ({
  id: -runId,
  project_id: projectId,
  status: 'done',
  counts: facts.counts,
  created_at: facts.createdAt,
  finished_at: facts.finishedAt,
  delivered_at: deliveredAt,
  event,
})

/** Returns the body of a test webhook. It describes a run that does not exist, and has `test: true`. */
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

const contentOf = ({ runId, projectId, event, facts, deliveredAt }: About<Facts>) => ({
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
  ...(facts.intent && { intent: facts.intent }),
})

const differenceOf = ({ previousRunId, added, removed, changed, unchanged }: Difference) => ({
  diff: { added, removed, changed, unchanged },
  previous_run_id: previousRunId,
})
