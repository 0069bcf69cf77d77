/** Sends commands and requests about forks to the coordinator. Equal requests have equal `text`. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import { explainTimeoutMs } from '@tidemark/contracts/rpc/explain'
import type {
  FindStarted,
  GetRunSettingsResponse,
  RunStartedResponse,
  StartRun,
} from '@tidemark/contracts/rpc/runs'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import { streams } from '@tidemark/contracts/subjects'
import type { ReadModelClock } from '../../read-model/adapters/projected.ts'

export type Forks = {
  /** Returns the seed, the status and the settings of a run, or null if the project has no such run. */
  findSettings: (
    projectId: number,
    runId: number,
    timeoutMs?: number,
  ) => Promise<GetRunSettingsResponse['found']>
  /** Starts a fork. Resolves when it is stored and, within a time limit, readable. */
  startFork: (run: Omit<StartRun, 'fingerprint' | 'likeness'>, text: string) => Promise<RunStartedResponse>
  /** Returns the fork that a repeated key has started, or null. `text` is null if the body was invalid. */
  findFork: (
    keyed: Omit<FindStarted, 'fingerprint'>,
    text: string | null,
  ) => Promise<RunStartedResponse | null>
}

const startMs = 10_000
const readYourWritesMs = 500

/** Opens the commands. `fingerprint` returns a keyed hash, so that texts can be compared without revealing them. */
export const openForks = (bus: Bus, clock: ReadModelClock, fingerprint: (text: string) => string): Forks => ({
  async findSettings(projectId, runId, timeoutMs = explainTimeoutMs) {
    const request = { projectId, runId }
    return (await call(bus, runsRpc.getRunSettings, request, { timeoutMs })).found
  },

  // A fork has no likeness: its pages are older than the crawl, so it must not be returned instead of a fresh one.
  async startFork(command, text) {
    const start = { ...command, fingerprint: fingerprint(text) }
    const answer = await call(bus, runsRpc.startRun, start, { timeoutMs: startMs })
    await clock.waitFor(streams.runs, answer.sequence, readYourWritesMs)
    return answer
  },

  async findFork(keyed, text) {
    const search = { ...keyed, fingerprint: text && fingerprint(text) }
    return (await call(bus, runsRpc.findStarted, search, { timeoutMs: startMs })).started
  },
})
