/** Sends requests to crawl-coordinator: to start the run of a tick, and to read whether and how a run has ended. */
import { hash } from 'node:crypto'
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { IsRunActiveAnswer, RunStartedAnswer, StartRun } from '@tidemark/contracts/rpc/runs'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import type { Monitor } from '../domain/monitor.ts'

/**
 * Both methods reject with the coordinator's `Refusal`, or with `unavailable` when the coordinator does not respond.
 */
export type Runs = {
  /** Starts the run of the tick at `minute`, in ms since 1970. A repeated call returns the same run. */
  start(monitor: Monitor, minute: number): Promise<RunStartedAnswer>
  /** Returns whether a run is queued or running, and how it ended. */
  stateOf(projectId: number, runId: number): Promise<IsRunActiveAnswer>
}

/**
 * Timeouts in ms. A change of the monitor waits for both requests, so their sum is below the gateway's timeout for
 * it.
 */
const startMs = 5_000
const stateMs = 3_000

export function runs(bus: Bus): Runs {
  return {
    async start({ id, projectId, tier, url, settings, lastRunId }, minute) {
      const at = new Date(minute).toISOString()
      // Keys of clients are visible ASCII, so a key with a space is never a client's.
      const key = `tick ${id} ${at}`
      const request: StartRun = {
        projectId,
        tier,
        url,
        settings,
        idempotencyKey: key,
        tick: { monitorId: id, minute: at, previousRunId: lastRunId },
        fingerprint: hash('sha256', key),
      }
      return call(bus, runsRpc.startRun, request, { timeoutMs: startMs })
    },

    stateOf(projectId, runId) {
      return call(bus, runsRpc.isRunActive, { projectId, runId }, { timeoutMs: stateMs })
    },
  }
}
