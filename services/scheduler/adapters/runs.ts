/** What scheduler asks of crawl-coordinator: to start a tick's run, and whether and how a run has ended. */
import { hash } from 'node:crypto'
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { IsRunActiveAnswer, RunStartedAnswer, StartRun } from '@tidemark/contracts/rpc/runs'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import type { Monitor } from '../domain/monitor.ts'

/** Both throw the coordinator's `Refusal`, or `unavailable` when it is away. */
export type Runs = {
  /** The run of this minute, in ms since 1970; asked again, it is the same run. */
  start(monitor: Monitor, minute: number): Promise<RunStartedAnswer>
  /** Whether it is queued or running, and how it ended. */
  stateOf(projectId: number, runId: number): Promise<IsRunActiveAnswer>
}

/** Together shorter than what a gateway waits for a change of the monitor, which waits for these. */
const startMs = 5_000
const stateMs = 3_000

export function runs(bus: Bus): Runs {
  return {
    async start({ id, projectId, tier, url, settings, lastRunId }, minute) {
      const at = new Date(minute).toISOString()
      // A client's key is visible ASCII: one with a space can never be a client's.
      const key = `tick ${id} ${at}`
      const question: StartRun = {
        projectId,
        tier,
        url,
        settings,
        idempotencyKey: key,
        tick: { monitorId: id, minute: at, previousRunId: lastRunId },
        fingerprint: hash('sha256', key),
      }
      return call(bus, runsRpc.startRun, question, { timeoutMs: startMs })
    },

    stateOf(projectId, runId) {
      const question = { projectId, runId }
      return call(bus, runsRpc.isRunActive, question, { timeoutMs: stateMs })
    },
  }
}
