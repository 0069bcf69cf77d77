/** Commits as the coordinator writes them, for tests. */
import type { StreamMessage } from '@tidemark/bus/read'
import type { RunEvent, SettledPage } from '@tidemark/contracts/run'
import { subjects } from '@tidemark/contracts/subjects'

export const at = (second: number) => new Date(Date.UTC(2026, 0, 2, 3, 4, second)).toISOString()

const settings = {
  maxPages: 1000,
  depth: 5,
  concurrency: null,
  delayMs: 250,
  subdomains: false,
  respectRobots: true,
  storeHtml: true,
}

export const queued = (runId: number, projectId = 7): RunEvent => ({
  type: 'RunQueued',
  data: { runId, projectId, tier: 'pro', url: 'https://example.com/', settings },
})

export const started: RunEvent = {
  type: 'RunStarted',
  data: { scope: { host: 'example.com', subdomains: false } },
}

export const page = (id: number, more: Partial<SettledPage> = {}): SettledPage => ({
  key: `key-${String(id).padStart(7, '0')}`,
  id,
  url: `https://example.com/${id}`,
  requestedUrl: null,
  depth: 1,
  status: 200,
  bytes: 1234,
  fetchedAt: at(30),
  contentType: 'text/html',
  title: `Page ${id}`,
  contentHash: 'a'.repeat(64),
  rawHash: 'b'.repeat(64),
  ...more,
})

export const settled = (...pages: SettledPage[]): RunEvent => ({ type: 'PagesSettled', data: { pages } })

export const failed = (...keys: string[]): RunEvent => ({
  type: 'PagesFailed',
  data: { pages: keys.map(key => ({ key: key.padEnd(11, '-'), reason: 'dns', attempts: 3 })) },
})

export const finished = (fetched: number, errors: number): RunEvent => ({
  type: 'RunFinished',
  data: {
    status: 'done',
    stopReason: 'exhausted',
    errorMessage: null,
    totals: {
      discovered: fetched + errors + 2,
      fetched,
      failed: errors,
      skipped: 1,
      duplicate: 1,
      notReached: 0,
      pending: 0,
    },
  },
})

/** Returns a commit of a run as a message of the stream. */
export const commit = (runId: number, second: number, ...events: (RunEvent | object)[]) => ({
  subject: subjects.run(runId),
  payload: JSON.stringify({ at: at(second), events }),
})

export const delivered = (
  { subject, payload }: ReturnType<typeof commit>,
  sequence: number,
): StreamMessage => ({
  subject,
  sequence,
  data: Buffer.from(payload),
  headers: undefined,
  time: new Date(0),
  pending: 0,
})
