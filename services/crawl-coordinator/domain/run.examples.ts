/** Builders for the specification of a run: pages by path on one site, with events and outcomes. */
import type { FoundUrl, RunEvent, Totals } from '@tidemark/contracts/run'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { urlKey } from '@tidemark/url/key'
import { noTotals } from './account.ts'
import { type Circumstances, unbounded } from './circumstances.ts'
import { decide, type RunCommand } from './decide.ts'
import { evolve } from './evolve/evolve.ts'
import { type Run, unknown } from './run.ts'

export const site = 'https://a.example'
export const at = '2026-01-02T03:04:05.000Z'
export const url = (path: string): string => (path.startsWith('http') ? path : site + path)
export const key = (path: string): string => urlKey(url(path))
const hash = '0123456789abcdef'.repeat(4)

export const settings = (some: Partial<RunSettings> = {}): RunSettings => ({
  maxPages: 1000,
  depth: 5,
  concurrency: null,
  delayMs: 0,
  subdomains: false,
  respectRobots: false,
  storeHtml: true,
  ...some,
})

export const circumstances = (some: Partial<Circumstances> = {}): Circumstances => {
  let id = 0
  return {
    at,
    takeId: () => ++id,
    window: 512,
    allowance: unbounded,
    cloudAllowance: unbounded,
    robotsToken: 'tidemark',
    runLimitMs: 7 * 86_400_000,
    trapsOff: new Set(),
    ...some,
  }
}

export const queued = (some: Partial<RunSettings> = {}): RunEvent => ({
  type: 'RunQueued',
  data: { runId: 1, projectId: 7, tier: 'free', url: url('/'), settings: settings(some) },
})

export const started: RunEvent = {
  type: 'RunStarted',
  data: { scope: { host: 'a.example', subdomains: false } },
}

export const found = (path: string, some: Partial<FoundUrl> = {}): FoundUrl => ({
  key: key(path),
  url: url(path),
  depth: path === '/' ? 0 : 1,
  from: path === '/' ? null : key('/'),
  hops: 0,
  ...some,
})

export const admitted = (...paths: string[]): RunEvent => ({
  type: 'PagesAdmitted',
  data: { pages: paths.map(path => found(path)) },
})

export const ordered = (number: number, ...paths: string[]): RunEvent => ({
  type: 'PagesOrdered',
  data: { messages: [{ number, keys: paths.map(key) }] },
})

const ofOrder = (path: string, attempt = 1) => ({ runId: 1, key: key(path), attempt })

export const page = (path: string, links: string[] = [], status = 200): Outcome => ({
  type: 'page',
  ...ofOrder(path),
  status,
  bytes: 4,
  fetchedAt: at,
  contentType: 'text/html',
  title: null,
  contentHash: hash,
  rawHash: hash,
  links: links.map(link => [key(link), url(link)]),
})

export const redirect = (path: string, to: string): Outcome => ({
  type: 'redirect',
  ...ofOrder(path),
  to: [key(to), url(to)],
})

export const failed = (path: string, reason: string, transient = false, attempt = 1): Outcome => ({
  type: 'failed',
  ...ofOrder(path, attempt),
  reason,
  transient,
  retryAfterMs: 0,
})

export const robots = (body: string, status = 200, origin = site, attempt = 1): Outcome => ({
  type: 'robots',
  ...ofOrder('/robots.txt', attempt),
  origin,
  status,
  body,
  bodyHash: hash,
})

export const robotsFailed = (reason: string, transient = false, attempt = 1): Outcome => ({
  type: 'robots_failed',
  ...ofOrder('/robots.txt', attempt),
  origin: site,
  reason,
  transient,
})

export const settled = (path: string, id: number, some: object = {}): RunEvent => ({
  type: 'PagesSettled',
  data: {
    pages: [
      {
        key: key(path),
        status: 200,
        bytes: 4,
        fetchedAt: at,
        contentType: 'text/html',
        title: null,
        contentHash: hash,
        rawHash: hash,
        id,
        url: url(path),
        depth: path === '/' ? 0 : 1,
        requestedUrl: null,
        ...some,
      },
    ],
  },
})

/** The decider for `specify`, in which every event and every decision has the same time. */
export const decider = {
  initial: () => unknown as Run,
  evolve: (run: Run, event: RunEvent) => evolve(run, event, at),
  decide: (run: Run, command: RunCommand) => decide(run, command, circumstances()).events,
}

export const lookAfter: RunCommand = { type: 'LookAfterRun' }
export const settle = (...outcomes: Outcome[]): RunCommand => ({ type: 'SettlePages', outcomes })

/** Returns a run with an ordered seed, and its further events. */
export const begun = (...more: RunEvent[]): RunEvent[] => [
  queued(),
  started,
  admitted('/'),
  ordered(1, '/'),
  ...more,
]

type Finished = Extract<RunEvent, { type: 'RunFinished' }>['data']

export const finished = (
  stopReason: Finished['stopReason'],
  some: Partial<Totals>,
  status: Finished['status'] = 'done',
  errorMessage: string | null = null,
  errorReason?: string,
): RunEvent => ({
  type: 'RunFinished',
  data: {
    status,
    stopReason,
    errorMessage,
    ...(errorReason !== undefined && { errorReason }),
    totals: { ...noTotals, ...some },
  },
})

/** Returns the end of a run that drops this number of requests. */
export const dropping = (dropped: number, end: RunEvent): RunEvent =>
  end.type === 'RunFinished' ? { ...end, data: { ...end.data, dropped } } : end

/** Returns the time of the examples plus this number of seconds. */
export const later = (seconds: number): string => new Date(Date.parse(at) + seconds * 1000).toISOString()
