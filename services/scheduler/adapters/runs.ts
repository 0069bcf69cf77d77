/**
 * Sends requests to crawl-coordinator: to start the run of a tick, to find it again, and to read whether and how a run has
 * ended.
 */
import { hash } from 'node:crypto'
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { IsRunActiveResponse, RunStartedResponse, StartRun } from '@tidemark/contracts/rpc/runs'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import type { Monitor } from '../domain/monitor.ts'

/**
 * All methods reject with the coordinator's `Refusal`, or with `unavailable` when the coordinator does not respond.
 */
export type Runs = {
  /** Starts the run of the tick at `minute`, in ms since 1970. A repeated call returns the same run. */
  start(monitor: Monitor, minute: number, previousRunId: number | null): Promise<RunStartedResponse>
  /** Returns the run that the tick at `minute` has started; null when it has started none. */
  find(monitor: Pick<Monitor, 'id' | 'projectId'>, minute: number): Promise<RunStartedResponse | null>
  /** Returns whether a run is queued or running, and how it ended. */
  stateOf(projectId: number, runId: number): Promise<IsRunActiveResponse>
}

/**
 * Timeouts in ms. A change of a monitor waits for the lock of the monitor, which is usually held during one request of
 * each kind. So the sum of both timeouts is below the gateway's timeout for a change.
 */
const startMs = 5_000
const stateMs = 3_000

export function runs(bus: Bus): Runs {
  return {
    async start({ id, projectId, tier, url, settings, likeness }, minute, previousRunId) {
      const tick = { monitorId: id, minute: new Date(minute).toISOString(), previousRunId }
      const alike = likeness === null ? {} : { likeness }
      const request: StartRun = { projectId, tier, url, settings, tick, ...alike, ...keyOf(id, minute) }
      return call(bus, runsRpc.startRun, request, { timeoutMs: startMs })
    },

    async find({ id, projectId }, minute) {
      const request = { projectId, ...keyOf(id, minute) }
      return (await call(bus, runsRpc.findStarted, request, { timeoutMs: startMs })).started
    },

    stateOf(projectId, runId) {
      return call(bus, runsRpc.isRunActive, { projectId, runId }, { timeoutMs: stateMs })
    },
  }
}

/**
 * Returns the idempotency key of a tick's run. Keys of clients are visible ASCII, so no client can send a key with a
 * space.
 */
function keyOf(monitorId: number, minute: number): { idempotencyKey: string; fingerprint: string } {
  const idempotencyKey = `tick ${monitorId} ${new Date(minute).toISOString()}`
  return { idempotencyKey, fingerprint: hash('sha256', idempotencyKey) }
}
