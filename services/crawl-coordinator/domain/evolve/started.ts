/** Creates the state of a run at its start. */
import type { Scope } from '@tidemark/contracts/run'
import { listedUrls } from '@tidemark/url/listed'
import { emptyTally } from '../account.ts'
import { byteBudgetOf } from '../limits/byte-budget.ts'
import { costBudgetOf } from '../limits/cost-budget.ts'
import { firstLogin } from '../login/login.ts'
import type { Queued, Running } from '../run.ts'
import { createTrapMemory } from '../traps/memory.ts'

/** Returns the running run, in which no URL is judged yet. */
export function started(run: Queued, { scope }: { scope: Scope }, at: string): Running {
  const waiting = listedUrls(run.url, run.settings.urls)
  return {
    ...run,
    status: 'running',
    startedAt: at,
    countedFrom: at,
    reopenings: 0,
    scope,
    mayMoveTo: null,
    pausedAt: null,
    pausedMs: 0,
    states: new Map(),
    knownText: 0,
    pending: new Map(),
    ready: new Map(),
    later: new Set(),
    awaitingRobots: new Map(),
    robots: new Map(),
    rulesText: 0,
    deferred: { count: 0, max_pages: new Map(), depth: new Set() },
    left: new Map(),
    failed: new Map(),
    traps: run.settings.trapGuards === false ? null : createTrapMemory(),
    listed: { keys: new Set(waiting.keys()), waiting },
    sitemaps: new Map(),
    linkParts: new Map(),
    isFull: false,
    blocked: 0,
    rendered: 0,
    carried: 0,
    rendering: { pending: 0, out: 0, isOff: false },
    cost: costBudgetOf(run),
    bytes: byteBudgetOf(run),
    rechecks: { waiting: new Set(), rendered: new Set(), all: 0 },
    unchanged: { pages: 0, bytes: 0 },
    redirects: new Map(),
    counts: { fetched: 0, failed: 0, skipped: 0, duplicate: 0 },
    lastPageId: 0,
    tally: emptyTally(),
    out: 0,
    storedOut: 0,
    outAt: new Map(),
    messages: 0,
    quietSince: Date.parse(at),
    silences: 0,
    decidedAt: 0,
    isUnfinished: false,
    login: firstLogin(run.settings),
    lost: null,
    seedFailure: null,
  }
}
