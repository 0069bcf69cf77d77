/** The run's commands and questions to crawl-coordinator, joined with the read model's view of runs. */
import { ask } from '@tidemark/bus/ask'
import type { Bus } from '@tidemark/bus/connection'
import type {
  CancelRun,
  CancelRunAnswer,
  DeleteRun,
  DeleteRunAnswer,
  GetRun,
  GetRunAnswer,
  RunStartedAnswer,
  StartRun,
} from '@tidemark/contracts/ask/runs'
import { asks, streams } from '@tidemark/contracts/subjects'
import { alike, canonical } from '../domain/crawl-request.ts'
import { ApiProblem } from '../domain/problem.ts'
import type { CrawlPorts } from '../routes/crawls.ts'
import type { ReadModelClock } from './projected.ts'
import type { RunReads } from './run-reads.ts'

type Runs = Pick<CrawlPorts, 'startRun' | 'findRun' | 'cancelRun' | 'deleteRun' | 'runs'> & {
  hasRun: (projectId: number, runId: number) => Promise<boolean>
}

const startMs = 10_000
const getMs = 2_000
const deleteMs = 20_000
const unseenMs = 5_000
const readYourWritesMs = 500

/** `fingerprint` tells equal texts without telling what they are. */
export function openRuns(
  bus: Bus,
  reads: RunReads,
  clock: ReadModelClock,
  fingerprint: (text: string) => string,
): Runs {
  async function askRun(projectId: number, runId: number) {
    const { run } = await ask<GetRun, GetRunAnswer>(
      bus,
      asks.getRun,
      { projectId, runId },
      { timeoutMs: getMs },
    )
    return run
  }
  return {
    runs: reads,

    async startRun(command, { request, weighed }) {
      const names = { fingerprint: fingerprint(canonical(request)), likeness: fingerprint(alike(weighed)) }
      const question = { ...command, ...names }
      const started = await ask<StartRun, RunStartedAnswer>(bus, asks.startRun, question, {
        timeoutMs: startMs,
      })
      await clock.waitFor(streams.runs, started.sequence, readYourWritesMs)
      return started
    },

    findRun: async (projectId, runId) =>
      (await reads.find(projectId, runId)) ?? (await askRun(projectId, runId)),

    async cancelRun(projectId, runId) {
      const question = { projectId, runId }
      const { run, sequence } = await ask<CancelRun, CancelRunAnswer>(bus, asks.cancelRun, question, {
        timeoutMs: startMs,
      })
      await clock.waitFor(streams.runs, sequence, readYourWritesMs)
      return run
    },

    async deleteRun(projectId, runId) {
      const question = { projectId, runId }
      const { deleted, sequence } = await ask<DeleteRun, DeleteRunAnswer>(bus, asks.deleteRun, question, {
        timeoutMs: deleteMs,
      })
      if (deleted) await clock.waitFor(streams.runs, sequence, unseenMs)
      // Whoever was told that it is gone must not see it again.
      if (deleted && (await reads.has(projectId, runId))) throw new ApiProblem('unavailable')
      return deleted
    },

    hasRun: async (projectId, runId) =>
      (await reads.has(projectId, runId)) || (await askRun(projectId, runId)) !== null,
  }
}
