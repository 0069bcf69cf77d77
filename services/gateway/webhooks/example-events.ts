/** Examples of the webhooks that receivers get, one for each event of the API reference. */
import type {
  BatchDoneEvent,
  CrawlDiffDetectedEvent,
  CrawlDoneEvent,
  CrawlFailedEvent,
  CrawlStartedEvent,
  PageFetchedEvent,
} from '@tidemark/contracts/http/webhook-events'

export const done: CrawlDoneEvent = {
  id: 42,
  project_id: 7,
  url: 'https://example.com/',
  status: 'done',
  page_count: 238,
  error_count: 1,
  started_at: '2026-01-02T03:04:05.702Z',
  finished_at: '2026-01-02T03:05:10.115Z',
  error_message: null,
  delivered_at: '2026-01-02T03:05:11.020Z',
  event: 'crawl.done',
}

export const changed: CrawlDiffDetectedEvent = {
  ...done,
  status: 'done',
  event: 'crawl.diff_detected',
  diff: { added: 1, removed: 1, changed: 1, unchanged: 234 },
  previous_run_id: 41,
  intent: {
    matched: true,
    reason: 'The price fell from 49.90 EUR to 39.90 EUR.',
    quotes: [
      { url: 'https://example.com/clock', change: 'removed', text: 'Price: 49.90 EUR' },
      { url: 'https://example.com/clock', change: 'added', text: 'Price: 39.90 EUR' },
    ],
  },
}

export const started: CrawlStartedEvent = {
  id: 42,
  project_id: 7,
  url: 'https://example.com/',
  status: 'running',
  started_at: '2026-01-02T03:04:05.702Z',
  delivered_at: '2026-01-02T03:04:05.920Z',
  event: 'crawl.started',
}

export const fetched: PageFetchedEvent = {
  id: 42,
  project_id: 7,
  url: 'https://example.com/',
  batch: 1,
  pages: [
    {
      id: 4711,
      url: 'https://example.com/',
      status: 200,
      bytes: 5120,
      fetched_at: '2026-01-02T03:04:06.412Z',
      title: 'Example',
      content_hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    },
  ],
  delivered_at: '2026-01-02T03:04:10.020Z',
  event: 'page.fetched',
}

export const failed: CrawlFailedEvent = {
  ...done,
  status: 'failed',
  page_count: 0,
  error_message: 'The seed could not be fetched: the connection was refused.',
  event: 'crawl.failed',
}

export const batch: BatchDoneEvent = {
  id: 7,
  project_id: 7,
  status: 'done',
  counts: { total: 10_000, pending: 0, ok: 9_981, failed: 17, refused: 2, cancelled: 0 },
  created_at: '2026-01-02T03:04:05.678Z',
  finished_at: '2026-01-02T03:14:10.115Z',
  delivered_at: '2026-01-02T03:14:11.020Z',
  event: 'batch.done',
}
