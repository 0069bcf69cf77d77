/**
 * Explains the state of a run's URLs: the coverage, the failures, and the history of one URL. Failures and
 * histories are read from the run's events in its stream or archive. The run that coverage and judgements use is the
 * one in memory, if this instance has it, else it is rebuilt from these events.
 */
import { refuse } from '@tidemark/bus/refusal'
import type { Coverage } from '@tidemark/contracts/http/coverage'
import type { RunError, RunErrorList } from '@tidemark/contracts/http/errors'
import type {
  ExplainUrl,
  ExplainUrlResponse,
  GetCoverage,
  GetCoverageResponse,
  GetHostsResponse,
  ListErrors,
  ListErrorsResponse,
} from '@tidemark/contracts/rpc/explain'
import type { RunCommit, TrapRule } from '@tidemark/contracts/run'
import type { EventStore } from '@tidemark/eventstore/store'
import { urlKey } from '@tidemark/url/key'
import type { PatternThread } from '@tidemark/url/pattern-thread'
import type { Admissions } from '../adapters/admissions.ts'
import { fairReads } from '../concurrency/fair-reads.ts'
import { coverageOf } from '../domain/coverage.ts'
import { explain, notBegun } from '../domain/explain/explain.ts'
import { collectFailures } from '../domain/explain/failures.ts'
import { addToHistory, emptyHistory, type Stored } from '../domain/explain/history.ts'
import { collectHosts, type Hosts } from '../domain/explain/hosts.ts'
import { patternsOf, type Verdicts } from '../domain/filter.ts'
import { isKnown, type Run } from '../domain/run.ts'
import { foldBeforeEnd, foldRun, readRun } from './fold-run.ts'
import { statusOf } from './last-commit.ts'
import { cachedByRun } from './run-cache.ts'
import type { RunKeeper } from './run-keeper.ts'

type Ports = {
  store: Pick<EventStore, 'last' | 'read'>
  admissions: Pick<Admissions, 'find'>
  /** Returns the keeper of a run of this instance. */
  kept: (runId: number) => RunKeeper | null
  /** Trap rules that this installation turns off. */
  trapsOff: ReadonlySet<TrapRule>
  patterns: Pick<PatternThread, 'judge'>
}

export type ExplainRun = {
  coverage(request: GetCoverage): Promise<GetCoverageResponse>
  errors(request: ListErrors): Promise<ListErrorsResponse>
  explain(request: ExplainUrl): Promise<ExplainUrlResponse>
  hosts(request: ListErrors): Promise<GetHostsResponse>
}

const maxCoverages = 200
/** Lists of errors and of hosts that are cached; they may be long. */
export const maxLists = 5
/** Maximum characters of URLs in one response: a message of NATS has at most 8 MB. */
const maxText = 2_000_000

/** Returns the handlers. A run of another project is treated as missing, and none of it is read. */
export function explainRun(ports: Ports): ExplainRun {
  const { store, admissions, kept } = ports
  const fairly = fairReads()
  const owns = async ({ projectId, runId }: GetCoverage) =>
    (await admissions.find(runId))?.projectId === projectId
  const coverageFromStream = cachedByRun(
    store,
    { max: maxCoverages, fairly: fairReads() },
    async ({ runId }) => {
      const { run, version } = await foldRun(store, runId)
      return { version, value: knownCoverage(run, version) }
    },
  )
  const failuresFromStream = collectedFrom(store, collectFailures, ({ found }) => found)
  const hostsFromStream = collectedFrom(store, collectHosts, hosts => hosts)

  return {
    async coverage(request) {
      if (!(await owns(request))) return { coverage: null }
      const { runId } = request
      const held = await kept(runId)
        ?.look(knownCoverage)
        .catch(() => null)
      return { coverage: held ?? (await coverageFromStream(request)) }
    },

    async errors(request) {
      const failures = (await owns(request)) ? await failuresFromStream(request) : null
      return { errors: failures && partOfErrors(failures, request) }
    },

    async hosts(request) {
      const hosts = (await owns(request)) ? await hostsFromStream(request) : null
      return { hosts: hosts && partOf(hosts, request) }
    },

    async explain(request) {
      return (await owns(request)) ? fairly(request, () => story(ports, request)) : notFound
    },
  }
}

/**
 * Returns a cached reader of what a collector finds in all events of a run; null: the run cannot be shown. Only the
 * result is cached, because a collector may hold all URLs of the run.
 */
const collectedFrom = <Collector extends { add(stored: Stored): void }, Found>(
  store: Ports['store'],
  collect: () => Collector,
  resultOf: (collector: Collector) => Found,
) =>
  cachedByRun(store, { max: maxLists, fairly: fairReads() }, async ({ runId }) => {
    const collector = collect()
    const past = lastOf()
    const version = await readRun(store, runId, stored => {
      past.add(stored.commit)
      collector.add(stored)
    })
    return { version, value: past.isShown() ? resultOf(collector) : null }
  })

async function story(
  { store, kept, trapsOff, patterns }: Ports,
  { runId, url }: ExplainUrl,
): Promise<ExplainUrlResponse> {
  const requested = { key: urlKey(url), url }
  const past = lastOf()
  const history = emptyHistory()
  const before = foldBeforeEnd()
  await readRun(store, runId, stored => {
    past.add(stored.commit)
    addToHistory(history, requested.key, stored)
    before.add(stored.commit)
  })
  if (!past.isShown()) return notFound
  const verdicts = history.verdict === null ? await verdictOn(patterns, before.run(), url) : undefined
  const explained = (run: Run) =>
    run.status === 'running'
      ? explain({ run, now: Date.now(), trapsOff, verdicts }, requested, history)
      : null
  const held = await kept(runId)
    ?.look(explained)
    .catch(() => null)
  const explanation = held ?? explained(before.run()) ?? notBegun(requested, history.stopReason)
  const from = history.found?.from ?? null
  const page = from === null ? undefined : history.urls.get(from)
  return { explanation, foundOn: from !== null && page ? { key: from, url: page.url } : null }
}

/** Applies the run's patterns to a URL that it never found. */
async function verdictOn(patterns: Ports['patterns'], run: Run, url: string): Promise<Verdicts | undefined> {
  const lists = isKnown(run) ? patternsOf(run.settings) : null
  if (lists === null || !isKnown(run)) return undefined
  const about = { tenant: run.projectId, budgetMs, signal: AbortSignal.timeout(withinMs) }
  const { verdicts } = await patterns.judge(lists, [url], about).catch(() => ({ verdicts: [] }))
  if (verdicts[0] === undefined) throw refuse('unavailable', { message: notSearched })
  return new Map([[url, verdicts[0]]])
}

/** Maximum milliseconds for the patterns of one URL: of processor time, and of elapsed time. */
const budgetMs = 1_000
const withinMs = 5_000
const notSearched = 'The path patterns could not be matched in time. Try again shortly.'

const notFound: ExplainUrlResponse = { explanation: null, foundOn: null }

const knownCoverage = (run: Run, version: number): Coverage | null =>
  isKnown(run) ? coverageOf(run, version) : null

/** Records the last commit, which determines whether the run can be shown. */
export function lastOf() {
  let last: RunCommit | null = null
  return {
    add(commit: RunCommit): void {
      last = commit
    },
    isShown: (): boolean => last !== null && statusOf(last) !== 'deleted',
  }
}

function partOf(hosts: Hosts, { limit, offset }: ListErrors): GetHostsResponse['hosts'] {
  const settings = hosts.settings()
  if (settings === null) return null
  const found = hosts.found()
  let text = 0
  const items = found.slice(offset, offset + limit).map(host => {
    text += JSON.stringify(host.robots?.rules ?? []).length
    // The number of rules stays, so that readers see that the list is shorter.
    return text > maxText && host.robots ? { ...host, robots: { ...host.robots, rules: [] } } : host
  })
  const next = offset + items.length
  const { respectRobots, delayMs, robotsToken = null, userAgent = robotsToken } = settings
  return { respectRobots, delayMs, userAgent, items, next_offset: next < found.length ? next : null }
}

/** Returns the requested part of the errors, or as much of it as fits into a response. */
export function partOfErrors(
  failures: readonly RunError[],
  { limit, offset }: Pick<ListErrors, 'limit' | 'offset'>,
): RunErrorList {
  const items = fitting(failures.slice(offset, offset + limit))
  const next = offset + items.length
  return { items, next_offset: next < failures.length ? next : null }
}

/** Returns as many errors as fit into a response, at least one. */
function fitting(errors: readonly RunError[]): RunError[] {
  let text = 0
  const cut = errors.findIndex(({ url, found_from }) => {
    text += url.length + (found_from?.length ?? 0)
    return text > maxText
  })
  return errors.slice(0, cut < 0 ? errors.length : Math.max(1, cut))
}
