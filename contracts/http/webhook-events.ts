/** The webhook bodies of each event (specification, Events). */
import { type Static, Type } from 'typebox'
import { count, described, Id, oneOf, orNull, Timestamp } from '../primitives.ts'
import { ChangedLine } from './page-diff.ts'
import { contentHash, PageItem } from './pages.ts'
import { BatchCounts } from './scan-batch.ts'

const beforeStatus = {
  id: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The crawl, as in `GET /v1/crawls/{id}`; 0 in a sample.',
  }),
  project_id: described(Id, 'The project of the crawl.'),
  url: Type.String({ description: 'The seed URL of the crawl.' }),
}

const afterStatus = {
  page_count: count('All fetched pages, including those whose target answered 4xx or 5xx.'),
  error_count: count('URLs that could not be fetched: DNS, TLS and connection failures.'),
  started_at: orNull(described(Timestamp, 'When the crawl started; null if it never did.')),
  finished_at: described(Timestamp, 'When the crawl ended.'),
  error_message: orNull(Type.String({ description: 'Why the crawl failed; null if it did not.' })),
  delivered_at: described(Timestamp, 'When this attempt was sent. It differs between attempts.'),
}

const intent = Type.Optional(
  Type.Object(
    {
      matched: orNull(
        Type.Boolean({ description: 'Whether the changes are those of the intent; null: unknown.' }),
      ),
      reason: Type.String({
        description:
          'A sentence of the language model. For null one of: no_baseline, not_compared, not_stored, not_configured, no_consent, model_calls, model_failed, not_quoted, lines_left_out, timeout.',
      }),
      quotes: Type.Array(
        Type.Object({
          url: Type.String({ description: 'The page of the line.' }),
          ...ChangedLine.properties,
        }),
        { description: 'The changed lines on which the judgement is based.' },
      ),
    },
    {
      $id: 'IntentVerdict',
      description: 'The judgement of the language model. Only for monitors with an intent.',
    },
  ),
)

export const CrawlDoneEvent = Type.Object(
  {
    ...beforeStatus,
    status: oneOf(['done', 'failed'], {
      description: 'The final status of the crawl.',
    }),
    ...afterStatus,
    event: Type.Literal('crawl.done', { description: 'Always `crawl.done`.' }),
    intent,
    test: Type.Optional(
      Type.Literal(true, { description: 'Only in samples of `POST /v1/webhook/test`, which have no crawl.' }),
    ),
  },
  { $id: 'CrawlDoneEvent' },
)
export type CrawlDoneEvent = Static<typeof CrawlDoneEvent>

export const CrawlStartedEvent = Type.Object(
  {
    ...beforeStatus,
    status: Type.Literal('running', { description: 'Always `running`.' }),
    started_at: described(Timestamp, 'When the crawl started.'),
    delivered_at: afterStatus.delivered_at,
    event: Type.Literal('crawl.started', { description: 'Always `crawl.started`.' }),
  },
  { $id: 'CrawlStartedEvent' },
)
export type CrawlStartedEvent = Static<typeof CrawlStartedEvent>

export const CrawlFailedEvent = Type.Object(
  {
    ...beforeStatus,
    status: Type.Literal('failed', { description: 'Always `failed`.' }),
    ...afterStatus,
    event: Type.Literal('crawl.failed', { description: 'Always `crawl.failed`.' }),
  },
  { $id: 'CrawlFailedEvent' },
)
export type CrawlFailedEvent = Static<typeof CrawlFailedEvent>

/** A page of a batch: the fields of the page list. */
const FetchedPage = Type.Object(
  {
    ...Type.Pick(PageItem, ['id', 'url', 'status', 'bytes', 'fetched_at']).properties,
    title: orNull(Type.String({ description: 'Title of the page; null: it has none.' })),
    content_hash: contentHash,
  },
  { $id: 'FetchedPage' },
)

export const PageFetchedEvent = Type.Object(
  {
    ...beforeStatus,
    batch: Type.Integer({
      minimum: 1,
      description: 'Number of the batch within the crawl, without gaps.',
    }),
    pages: Type.Array(FetchedPage, {
      minItems: 1,
      maxItems: 100,
      description: 'Pages in the order in which the crawl stored them. Each page is in one batch.',
    }),
    delivered_at: afterStatus.delivered_at,
    event: Type.Literal('page.fetched', { description: 'Always `page.fetched`.' }),
  },
  { $id: 'PageFetchedEvent' },
)
export type PageFetchedEvent = Static<typeof PageFetchedEvent>

export const CrawlDiffDetectedEvent = Type.Object(
  {
    ...beforeStatus,
    status: Type.Literal('done', { description: 'Always `done`: failed crawls are not compared.' }),
    ...afterStatus,
    event: Type.Literal('crawl.diff_detected', { description: 'Always `crawl.diff_detected`.' }),
    diff: Type.Object(
      {
        added: count('Pages that the previous crawl did not have.'),
        removed: count('Pages that only the previous crawl has.'),
        changed: count('Pages with another `content_hash` or status.'),
        unchanged: count('Pages that are unchanged.'),
      },
      { description: 'Number of pages that differ. `added`, `removed` and `changed` are not all 0.' },
    ),
    previous_run_id: described(Id, 'The crawl that this one was compared with.'),
    intent,
  },
  { $id: 'CrawlDiffDetectedEvent' },
)
export type CrawlDiffDetectedEvent = Static<typeof CrawlDiffDetectedEvent>

export const BatchDoneEvent = Type.Object(
  {
    id: described(Id, 'The batch, as in `GET /v1/scan/batches/{id}`.'),
    project_id: described(Id, 'The project of the batch.'),
    status: Type.Literal('done', { description: 'Always `done`: a cancelled batch sends nothing.' }),
    counts: BatchCounts,
    created_at: described(Timestamp, 'When the batch was requested.'),
    finished_at: described(Timestamp, 'When the last URL had its result.'),
    delivered_at: described(Timestamp, 'When this attempt was sent. It differs between attempts.'),
    event: Type.Literal('batch.done', { description: 'Always `batch.done`.' }),
  },
  { $id: 'BatchDoneEvent' },
)
export type BatchDoneEvent = Static<typeof BatchDoneEvent>
