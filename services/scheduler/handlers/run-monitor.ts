/**
 * Starts a run of a monitor on request, unless one is active. The same key returns the same run. Requested runs do not
 * replace the run of a due minute.
 */
import { type Refusal, refuse } from '@tidemark/bus/refusal'
import type { RunMonitor, RunMonitorResponse } from '@tidemark/contracts/rpc/monitors'
import type { Clock } from '../adapters/clock.ts'
import type { EarlierRuns } from '../adapters/earlier-runs.ts'
import type { Monitors } from '../adapters/monitors.ts'
import type { RequestedTicks, SettledRequest, StartedRun } from '../adapters/requested-ticks.ts'
import type { Runs } from '../adapters/runs.ts'
import type { Monitor } from '../domain/monitor.ts'
import { isUncertain, previousRunActive, type Tick } from '../domain/tick.ts'
import { isFinal } from './final.ts'
import { assertMayContinue } from './may-continue.ts'
import { previousRun } from './previous-run.ts'

export type Ports = {
  clock: Clock
  monitors: Pick<Monitors, 'find'>
  requested: RequestedTicks
  runs: Runs
  /** Notifies the relay of a new row in the outbox. */
  publish: (outboxId: number) => void
}

const maxAttempts = 3

/**
 * Rejects with 409 `narrowed_key` for a key with lower caps than those of the monitor. Rejects with 409
 * `previous_run_active` while a run of the monitor is active or another request starts one. Rejects with the
 * coordinator's refusal. If the request contains a `refusal`, rejects with it instead of starting a new run.
 */
export const runMonitor =
  (ports: Ports) =>
  async (wanted: RunMonitor): Promise<RunMonitorResponse> => {
    await assertMayRun(ports, wanted)
    for (let left = maxAttempts; left > 0; left--) {
      const now = await ports.clock()
      const tick = await ports.requested.record(wanted, now)
      if (tick === null) return { started: null }
      const settled = await settleRequest(ports, tick, now)
      if (settled.type === 'refused') throw settled.refusal
      if (settled.type === 'missing') continue
      if (tick.isForeign) throw isActive(settled.started.id)
      // Of concurrent requests with one key any may start the run, but only one has recorded the tick.
      return { started: { ...settled.started, replayed: tick.isRepeated } }
    }
    throw refuse('unavailable', { retryAfterSeconds: 1 })
  }

async function assertMayRun(
  { monitors }: Ports,
  { projectId, monitorId, keyCaps }: RunMonitor,
): Promise<void> {
  const monitor = keyCaps && (await monitors.find(projectId, monitorId))
  if (monitor) assertMayContinue(monitor, keyCaps)
}

/** Starts the requested run, or finds it if it was started before. Rejects when it is unknown whether it was started. */
export async function settleRequest(
  { requested, runs, publish }: Omit<Ports, 'clock' | 'monitors'>,
  tick: Tick,
  now: number,
): Promise<SettledRequest> {
  const settled = await requested.settle(tick, now, (monitor, current, earlier) =>
    start({ runs, earlier, now }, monitor, current),
  )
  if (settled.type === 'started' && settled.outboxId !== null) publish(settled.outboxId)
  return settled
}

type Starting = { runs: Runs; earlier: EarlierRuns; now: number }

async function start(
  { runs, earlier, now }: Starting,
  monitor: Monitor,
  tick: Tick | null,
): Promise<StartedRun | Refusal | null> {
  if (tick !== null && !tick.isSettled && isUncertain(tick, now)) return refuse('conflict')
  const previous = tick?.isSettled ? null : await previousRun(runs, monitor, earlier)
  const activeId = previous?.isActive ? previous.id : null
  if (tick === null) return activeId === null ? null : isActive(activeId)
  const previousRunId = previous === null ? monitor.lastRunId : previous.id
  try {
    if (activeId === null)
      return { started: await runs.start(monitor, tick.minute, previousRunId), previousRunId }
    // The request may have started the run earlier: the previous run had ended then, and was reopened since.
    const started = await runs.find(monitor, tick.minute)
    return started ? { started, previousRunId } : isActive(activeId)
  } catch (error) {
    if (isFinal(error)) return error
    throw error
  }
}

const isActive = (runId: number) =>
  refuse('conflict', {
    reason: previousRunActive,
    message: `Crawl ${runId} of this monitor is queued or running. Wait for its end, or cancel it.`,
  })
