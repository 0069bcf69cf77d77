/** Sends commands and requests about runs to the coordinator, and joins its responses with the read model. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import type { RunView } from '@tidemark/contracts/http/crawls'
import type {
  FindStarted,
  ReopenRun,
  ReopenRunResponse,
  ResumeRun,
  RunStartedResponse,
  StartRun,
} from '@tidemark/contracts/rpc/runs'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import { streams } from '@tidemark/contracts/subjects'
import { ApiProblem } from '../../http/domain/problem.ts'
import type { ReadModelClock } from '../../read-model/adapters/projected.ts'
import { canonical, hashesOf } from '../domain/run-settings-of-request.ts'
import type { RunReads } from './run-reads.ts'

export type Runs = {
  runs: RunReads
  /** Starts a run. Resolves when it is stored and, within a time limit, readable. */
  startRun: (
    run: Omit<StartRun, 'fingerprint' | 'likeness'>,
    requested: { request: CrawlRequest; effective: CrawlRequest },
  ) => Promise<RunStartedResponse>
  /** Returns the run that a repeated key has started, or null. `request` is null if the body was invalid. */
  findStarted: (
    keyed: Omit<FindStarted, 'fingerprint'>,
    request: CrawlRequest | null,
  ) => Promise<RunStartedResponse | null>
  /** Returns the run from the read model, or from the coordinator if the read model does not have it yet. */
  findRun: (projectId: number, runId: number) => Promise<RunView | null>
  /** Ends the run and keeps its pages. Returns null if the project has no such run. */
  cancelRun: (projectId: number, runId: number) => Promise<RunView | null>
  /**
   * Pauses or resumes the run. Returns null if the project has no such run. Rejects with 409 if it has ended,
   * or if the caps of the key are too low to resume it.
   */
  changeRun: (request: ResumeRun, to: 'paused' | 'resumed') => Promise<RunView | null>
  /** Orders the failed URLs of an ended run again. `run` is null if the project has no such run. Rejects with 409 or 429. */
  reopenRun: (request: ReopenRun) => Promise<Pick<ReopenRunResponse, 'run' | 'retried'>>
  /**
   * Ends the run and deletes it. Returns false if the project has no such run. Resolves when no client can read it any
   * more.
   */
  deleteRun: (projectId: number, runId: number) => Promise<boolean>
  hasRun: (projectId: number, runId: number) => Promise<boolean>
}

const startMs = 10_000
const getMs = 2_000
/** Timeout in ms. The coordinator first reads a large run from its stream. */
const reopenMs = 20_000
const deleteMs = 20_000
const untilDeletedMs = 5_000
const readYourWritesMs = 500

/** Opens the commands. `fingerprint` returns a keyed hash, so that texts can be compared without revealing them. */
export function openRuns(
  bus: Bus,
  reads: RunReads,
  clock: ReadModelClock,
  fingerprint: (text: string) => string,
): Runs {
  const requestRun = async (projectId: number, runId: number) =>
    (await call(bus, runsRpc.getRun, { projectId, runId }, { timeoutMs: getMs })).run
  async function readable<Answer extends { sequence: number }>(changing: Promise<Answer>): Promise<Answer> {
    const answer = await changing
    await clock.waitFor(streams.runs, answer.sequence, readYourWritesMs)
    return answer
  }
  return {
    runs: reads,

    async startRun(command, texts) {
      const start = { ...command, ...hashesOf(texts, fingerprint) }
      return readable(call(bus, runsRpc.startRun, start, { timeoutMs: startMs }))
    },

    async findStarted(keyed, request) {
      const search = { ...keyed, fingerprint: request && fingerprint(canonical(request)) }
      const { started } = await call(bus, runsRpc.findStarted, search, { timeoutMs: startMs })
      return started
    },

    findRun: async (projectId, runId) =>
      (await reads.find(projectId, runId)) ?? (await requestRun(projectId, runId)),

    async cancelRun(projectId, runId) {
      const cancelling = call(bus, runsRpc.cancelRun, { projectId, runId }, { timeoutMs: startMs })
      return withReadParts(reads, projectId, (await readable(cancelling)).run)
    },

    async changeRun(request, to) {
      const change = to === 'paused' ? runsRpc.pauseRun : runsRpc.resumeRun
      const { run } = await readable(call(bus, change, request, { timeoutMs: startMs }))
      return withReadParts(reads, request.projectId, run)
    },

    async reopenRun(request) {
      const answer = await readable(call(bus, runsRpc.reopenRun, request, { timeoutMs: reopenMs }))
      return { ...answer, run: await withReadParts(reads, request.projectId, answer.run) }
    },

    async deleteRun(projectId, runId) {
      const request = { projectId, runId }
      const { deleted, sequence } = await call(bus, runsRpc.deleteRun, request, { timeoutMs: deleteMs })
      if (deleted) await clock.waitFor(streams.runs, sequence, untilDeletedMs)
      // A client that was notified of the deletion must not see the run again.
      if (deleted && (await reads.has(projectId, runId))) throw new ApiProblem('unavailable')
      return deleted
    },

    hasRun: async (projectId, runId) =>
      (await reads.has(projectId, runId)) || (await requestRun(projectId, runId)) !== null,
  }
}

/**
 * Adds the fields that only the read model has to a run of the coordinator. The state is always the coordinator's,
 * because the read model may be older than the command.
 */
async function withReadParts(
  reads: RunReads,
  projectId: number,
  run: RunView | null,
): Promise<RunView | null> {
  // The command has succeeded, so its response must not fail without these parts.
  const read = run && (await reads.find(projectId, run.id).catch(() => null))
  if (!read) return run
  return {
    ...run,
    ai_bot_policy: read.ai_bot_policy,
    llms_txt: read.llms_txt,
    llms_full_txt: read.llms_full_txt,
    webhook_status: read.webhook_status,
    webhook_attempts: read.webhook_attempts,
    webhook_last_error: read.webhook_last_error,
  }
}
