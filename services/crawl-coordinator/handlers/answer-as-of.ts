/**
 * Returns a run as it was at an earlier time, folded from the commits of its stream or archive up to that time. For
 * each new time the run is read from its first event. These reads therefore wait for their turn, like other reads of
 * whole runs. A result is cached for all times between the same two commits.
 */
import { refuse } from '@tidemark/bus/refusal'
import type { Coverage } from '@tidemark/contracts/http/coverage'
import type { RunView } from '@tidemark/contracts/http/crawls'
import type { RunError } from '@tidemark/contracts/http/errors'
import type {
  GetCoverageAsOfResponse,
  GetRunAsOf,
  GetRunAsOfResponse,
  ListErrorsAsOf,
} from '@tidemark/contracts/rpc/as-of'
import type { ListErrorsResponse } from '@tidemark/contracts/rpc/explain'
import type { RunCommit } from '@tidemark/contracts/run'
import type { EventStore } from '@tidemark/eventstore/store'
import type { Admissions } from '../adapters/admissions.ts'
import { fairReads } from '../concurrency/fair-reads.ts'
import { coverageOf } from '../domain/coverage.ts'
import { collectFailures } from '../domain/explain/failures.ts'
import { isKnown, type Run, unknown } from '../domain/run.ts'
import { viewOf } from '../domain/view.ts'
import { maxLists, partOfErrors } from './explain-run.ts'
import { facetsAsOf } from './facets-as-of.ts'
import { foldOne } from './fold-run.ts'
import { type At, type Collect, type Past, readAsOf } from './read-as-of.ts'
import { cachedByRun } from './run-cache.ts'

type Ports = {
  store: Pick<EventStore, 'last' | 'read'>
  admissions: Pick<Admissions, 'find'>
}

export type AnswerAsOf = {
  run(request: GetRunAsOf): Promise<GetRunAsOfResponse>
  coverage(request: GetRunAsOf): Promise<GetCoverageAsOfResponse>
  errors(request: ListErrorsAsOf): Promise<ListErrorsResponse>
}

type PastRun = { view: RunView; coverage: Coverage; lastPageId: number }

const maxRuns = 200

/** Returns the handlers. A run of another project is treated as missing, and none of it is read. */
export function answerAsOf({ store, admissions }: Ports): AnswerAsOf {
  const fairly = fairReads()
  const withFacets = facetsAsOf(store, fairly)

  const runAsOf = cachedByRun(store, { max: maxRuns, fairly }, (at: At) => readAsOf(store, at, collectRun()))
  const errorsAsOf = cachedByRun(store, { max: maxLists, fairly }, (at: At) => {
    const { add, found } = collectFailures()
    return readAsOf<readonly RunError[]>(store, at, { add, result: () => found })
  })

  /** Returns what `read` has found, or null. Throws the refusal of a time before the run. */
  async function past<T>(
    { projectId, runId, asOf, isShared }: GetRunAsOf,
    read: (at: At) => Promise<Past<T>>,
  ): Promise<{ value: T; at: At } | null> {
    if ((await admissions.find(runId))?.projectId !== projectId) return null
    const at = { projectId, runId, time: Date.parse(asOf), ...(isShared && { isShared }) }
    const found = await read(at)
    if (found === null) return null
    if ('beginsAt' in found) throw beforeCrawl(found.beginsAt)
    return { ...found, at }
  }

  return {
    async run(request) {
      const found = await past(request, runAsOf)
      return { run: found && (await withFacets(found.value.view, found.at)) }
    },

    async coverage(request) {
      const found = await past(request, runAsOf)
      if (found === null) return { found }
      const { coverage, lastPageId } = found.value
      return { found: { coverage, lastPageId } }
    },

    async errors(request) {
      const found = await past(request, errorsAsOf)
      return { errors: found && partOfErrors(found.value, request) }
    },
  }
}

function collectRun(): Collect<PastRun> {
  let run: Run = unknown
  let position = 0
  let lastPageId = 0
  return {
    add({ sequence, commit }) {
      run = foldOne(run, commit)
      position = sequence
      lastPageId = Math.max(lastPageId, lastPageOf(commit))
    },
    result() {
      const view = viewOf(run)
      return isKnown(run) && view !== null ? { view, coverage: coverageOf(run, position), lastPageId } : null
    },
  }
}

/** Returns the highest id of the pages that a commit settles; 0: none. Later commits of the run settle higher ones. */
function lastPageOf({ events }: RunCommit): number {
  let last = 0
  for (const { type, data } of events) {
    if (type === 'PagesSettled') for (const { id } of data.pages) last = Math.max(last, id)
  }
  return last
}

const beforeCrawl = (at: string) =>
  refuse('not_found', {
    field: 'as_of',
    reason: 'before_crawl',
    message: `The crawl did not exist at that time: it was accepted at ${at}. Use that time or a later one.`,
  })
