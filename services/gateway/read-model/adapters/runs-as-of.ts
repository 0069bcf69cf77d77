/**
 * Requests from the coordinator a run as it was at an earlier time. Pages and links are read here: page ids of a run
 * grow in the order in which pages are stored, so the pages of that time are all pages up to one id.
 */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { Coverage } from '@tidemark/contracts/http/coverage'
import type { RunView } from '@tidemark/contracts/http/crawls'
import type { RunErrorList } from '@tidemark/contracts/http/errors'
import * as asOfRpc from '@tidemark/contracts/rpc/as-of'
import { explainTimeoutMs } from '@tidemark/contracts/rpc/explain'
import { streams } from '@tidemark/contracts/subjects'
import type { OfProject } from '@tidemark/db/of-project'
import { ApiProblem, found } from '../../http/domain/problem.ts'
import type { Window } from '../../http/domain/window.ts'
import { readAsOf } from '../domain/as-of.ts'
import type { OfRun } from './crawled-pages.ts'
import type { ReadModelClock } from './projected.ts'

/** A run, and whether a reader of a share requests it. */
type ReadOfRun = OfRun & { isShared?: true }

/**
 * `asOf` is the value of the query field. Every method throws `ApiProblem` for a time in the future, and rejects with 404
 * for a time before the run, and if the project has no such run.
 */
export type RunsAsOf = {
  run(run: ReadOfRun, asOf: string): Promise<RunView>
  coverage(run: ReadOfRun, asOf: string): Promise<Coverage>
  errors(run: ReadOfRun, asOf: string, window: Window): Promise<RunErrorList>
  /** Returns the run with the pages of that time, once the read model has them. Without a time, returns it unchanged. */
  pages(run: ReadOfRun, asOf: string | undefined): Promise<PastRun>
}

/** A run with its pages up to one of them. `status` is the status at that time. */
export type PastRun = OfRun & { status?: RunView['status'] }

/** Maximum milliseconds to wait for the read model, which is usually some milliseconds behind. */
const untilReadMs = 5_000
const wait = { timeoutMs: explainTimeoutMs }

/** Returns the function that returns whether the read model has this page of the run. */
export const hasPageBy =
  (reads: OfProject) =>
  async ({ projectId, runId }: OfRun, pageId: number): Promise<boolean> => {
    const text = 'select from read.page where id = $1 and run_id = $2 and project_id = $3'
    const statement = { name: 'has-page', text, values: [pageId, runId, projectId] }
    return (await reads(projectId).query(statement)).rowCount === 1
  }

export function openRunsAsOf(bus: Bus, reads: OfProject, clock: ReadModelClock, now: () => number): RunsAsOf {
  const hasPage = hasPageBy(reads)
  const requestOf = ({ projectId, runId, isShared }: ReadOfRun, asOf: string) => ({
    ...{ projectId, runId, asOf: readAsOf(asOf, now()) },
    ...(isShared && { isShared }),
  })
  const coverageOf = async (run: ReadOfRun, asOf: string) =>
    found((await call(bus, asOfRpc.getCoverageAsOf, requestOf(run, asOf), wait)).found)

  return {
    run: async (run, asOf) => found((await call(bus, asOfRpc.getRunAsOf, requestOf(run, asOf), wait)).run),

    coverage: async (run, asOf) => (await coverageOf(run, asOf)).coverage,

    async errors(run, asOf, { limit, offset }) {
      const request = { ...requestOf(run, asOf), limit, offset }
      return found((await call(bus, asOfRpc.listErrorsAsOf, request, wait)).errors)
    },

    async pages(run, asOf) {
      if (asOf === undefined) return run
      const { coverage, lastPageId } = await coverageOf(run, asOf)
      // Pages are projected in the order of their ids, so if the last one is there, all others are.
      if (lastPageId > 0 && !(await hasPage(run, lastPageId))) {
        await clock.waitFor(streams.runs, coverage.position, untilReadMs)
        if (!(await hasPage(run, lastPageId))) throw notRead()
      }
      return { ...run, upTo: lastPageId, upToSequence: coverage.position, status: coverage.status }
    },
  }
}

const notRead = () =>
  new ApiProblem('unavailable', {
    message: 'The pages of that time are not readable yet. Try again shortly.',
  })
