/**
 * The changes of a batch of commits in the rows of its runs: each run is folded once, so each row is written once per
 * batch.
 */
import type { RunEvent, RunEventData, Scope, SettledPage, Totals } from '@tidemark/contracts/run'
import type { StopReason } from '@tidemark/contracts/run-ends'
import type { RunSettings } from '@tidemark/contracts/run-settings'

type Name = RunEvent['type']

type Begin = {
  projectId: number
  url: string
  at: string
  previousRunId: number | null
  /** The run that it forks. */
  forkedFrom: number | null
  proxyUrl: string | null
  traceId: string | null
  /** The rules as JSON. */
  comparison: string | null
  minChangedWords: number | null
  /** The intent of a run that sends a webhook. */
  intent: string | null
}

/** Changes of one run. Only a run that begins in this batch has `queued`, because no other event may create a row. */
export type RunChange = {
  runId: number
  queued: Begin | null
  status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled' | null
  startedAt: string | null
  /** The host whose subdomains are in scope; null: the scope is one host; undefined: unchanged. */
  wideScope: string | null | undefined
  /** Time of the pause; null: not paused; undefined: unchanged. */
  pausedAt: string | null | undefined
  finishedAt: string | null
  stopReason: StopReason | null
  errorMessage: string | null
  errorReason: string | null
  /**
   * The final state of every judged URL, known at the end of the run: before it, only the run's writer can distinguish
   * them.
   */
  totals: Totals | null
  /** Whether it is reopened, so that its earlier end is void. */
  isReopened: boolean
  /** Pages and errors added by this batch. */
  pages: number
  errors: number
  /** Number of these pages that a fork has taken from the store. */
  reused: number
  /** Whether the run is deleted. No event follows a deletion. */
  deleted: boolean
}

export type NewPage = SettledPage & { runId: number }
export type Batch = { runs: Map<number, RunChange>; pages: NewPage[] }

export const emptyBatch = (): Batch => ({ runs: new Map(), pages: [] })

type Circumstances = { at: string; trace: string | undefined; batch: Batch }
type Fold<N extends Name> = (change: RunChange, data: RunEventData<N>, circumstances: Circumstances) => void

const folds: { [N in Name]?: Fold<N> } = {
  RunQueued: (change, { projectId, url, tick, settings }, { at, trace }) => {
    const previousRunId = tick?.previousRunId ?? null
    const proxyUrl = shownProxy(settings)
    const forkedFrom = forkedFromOf(settings)
    const about = { projectId, url, at, previousRunId, forkedFrom, proxyUrl, traceId: traceIdOf(trace) }
    change.queued = { ...about, ...rulesOf(settings), intent: intentOf(settings) }
    change.status = 'queued'
  },
  RunStarted: (change, { scope }, { at }) => {
    change.status = 'running'
    change.startedAt = at
    change.wideScope = wideScopeOf(scope)
  },
  ScopeMoved: (change, { scope }) => {
    change.wideScope = wideScopeOf(scope)
  },
  RunPaused: (change, _data, { at }) => {
    change.pausedAt = at
  },
  RunResumed: change => {
    change.pausedAt = null
  },
  PagesSettled: (change, { pages }, { batch }) => {
    change.pages += pages.length
    change.reused += pages.filter(page => page.carried).length
    for (const page of pages) batch.pages.push({ ...page, runId: change.runId })
  },
  PagesFailed: (change, { pages }) => {
    change.errors += pages.length
  },
  RunFinished: (change, { status, stopReason, errorMessage, errorReason = null, totals }, { at }) => {
    Object.assign(change, {
      status,
      stopReason,
      errorMessage,
      errorReason,
      totals,
      finishedAt: at,
      pausedAt: null,
    })
  },
  RunReopened: (change, { retried }) => {
    const none = { finishedAt: null, stopReason: null, errorMessage: null, errorReason: null, totals: null }
    Object.assign(change, { status: 'running', isReopened: true, ...none })
    change.errors -= retried
  },
  RunDeleted: change => {
    change.deleted = true
  },
}

/** The fields of each event that are checked. An event without them is reported and skipped. */
export const needs = {
  RunQueued: ['projectId', 'url', 'tick'],
  RunStarted: [],
  ScopeMoved: [],
  RunPaused: [],
  RunResumed: [],
  PagesSettled: ['pages'],
  PagesFailed: ['pages'],
  RunFinished: [
    'status',
    'stopReason',
    'errorMessage',
    'errorReason',
    'totals',
    'unreadSitemaps',
    'faultySitemaps',
  ],
  RunReopened: ['retried'],
  RunDeleted: [],
} as const

/** Adds an event of a run to the batch; an event without a row to change adds nothing. */
export function fold(batch: Batch, runId: number, event: RunEvent, at: string, trace?: string): void {
  const change = folds[event.type] as Fold<Name> | undefined
  if (change === undefined) return
  const known = batch.runs.get(runId) ?? unchanged(runId)
  batch.runs.set(runId, known)
  change(known, event.data, { at, trace, batch })
}

/**
 * Returns the proxy without its password. `settings` is not in `needs`: a run with unreadable settings still gets a
 * row.
 */
function shownProxy(settings: RunSettings | undefined): string | null {
  const shown: unknown = settings?.proxy?.shown
  return typeof shown === 'string' ? shown : null
}

function forkedFromOf(settings: RunSettings | undefined): number | null {
  const runId: unknown = settings?.fork?.runId
  return Number.isSafeInteger(runId) ? (runId as number) : null
}

/** Returns the rules of comparison. Settings that cannot be read mean no rules: the whole page is compared. */
function rulesOf(settings: RunSettings | undefined): Pick<Begin, 'comparison' | 'minChangedWords'> {
  const { comparison, minChangedWords } = settings ?? {}
  const isObject = typeof comparison === 'object' && comparison !== null
  return {
    comparison: isObject ? JSON.stringify(comparison) : null,
    minChangedWords: Number.isInteger(minChangedWords) ? (minChangedWords ?? null) : null,
  }
}

/** Returns the intent of a run with a webhook, else null: only webhooks report whether the changes match. */
function intentOf(settings: RunSettings | undefined): string | null {
  const text: unknown = settings?.webhook === undefined ? null : settings.intent?.text
  return typeof text === 'string' ? text : null
}

/** Returns the host of a scope with subdomains. Scopes that cannot be read count as one host. */
function wideScopeOf(scope: Scope | undefined): string | null {
  const host: unknown = scope?.subdomains === true ? scope.host : null
  return typeof host === 'string' ? host : null
}

/** Returns the trace id of a traceparent (W3C Trace Context, 3.2). */
const traceIdOf = (trace = ''): string | null => /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(trace)?.[1] ?? null

const unchanged = (runId: number): RunChange => ({
  runId,
  queued: null,
  status: null,
  startedAt: null,
  wideScope: undefined,
  pausedAt: undefined,
  finishedAt: null,
  stopReason: null,
  errorMessage: null,
  errorReason: null,
  totals: null,
  isReopened: false,
  pages: 0,
  errors: 0,
  reused: 0,
  deleted: false,
})
