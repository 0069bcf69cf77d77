/** Events of runs as the coordinator writes them. */
import type { RunEvent } from '@tidemark/contracts/run'
import type { StopReason } from '@tidemark/contracts/run-ends'
import type { MonitorIntent, WebhookTarget } from '@tidemark/contracts/run-settings'

const settings = {
  maxPages: 100,
  depth: 5,
  concurrency: null,
  delayMs: 0,
  subdomains: false,
  respectRobots: true,
  storeHtml: true,
}

export const queued = (
  runId: number,
  projectId: number,
  webhook?: WebhookTarget,
  more: object = {},
  intent?: MonitorIntent,
): RunEvent => ({
  type: 'RunQueued',
  data: {
    runId,
    projectId,
    tier: 'pro',
    url: 'https://example.com/',
    settings: { ...settings, ...(webhook && { webhook }), ...(intent && { intent }) },
    ...more,
  },
})

export const began: RunEvent = {
  type: 'RunStarted',
  data: { scope: { host: 'example.com', subdomains: false } },
}

export const ended = (
  status: 'done' | 'failed' | 'cancelled',
  fetched = 3,
  stopReason: StopReason = status === 'done' ? 'exhausted' : status,
): RunEvent => ({
  type: 'RunFinished',
  data: {
    status,
    stopReason,
    errorMessage: status === 'failed' ? 'The seed could not be fetched.' : null,
    totals: {
      discovered: fetched + 1,
      fetched,
      failed: 1,
      skipped: 0,
      duplicate: 0,
      notReached: 0,
      pending: 0,
    },
  },
})

/** Returns the event that settles pages with these ids, in this order. */
export const settled = (...ids: number[]): RunEvent => ({
  type: 'PagesSettled',
  data: {
    pages: ids.map(id => ({
      ...{
        key: String(id).padStart(11, '0'),
        id,
        url: `https://example.com/${id}`,
        requestedUrl: null,
        depth: 1,
      },
      ...{ status: 200, bytes: 512, fetchedAt: '2026-01-02T03:04:06.000Z', contentType: 'text/html' },
      ...{ title: `Page ${id}`, contentHash: 'c'.repeat(64), rawHash: 'd'.repeat(64) },
    })),
  },
})

export const deleted = (projectId: number): RunEvent => ({
  type: 'RunDeleted',
  data: { projectId, billedPages: 3 },
})
