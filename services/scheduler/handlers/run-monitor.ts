/**
 * Starts a run of a monitor because somebody asks for it now: none while another one goes on, and the same one for the
 * same key. It counts for no due minute.
 */
import { type Refusal, refuse } from '@tidemark/bus/refusal'
import type { RunMonitor, RunMonitorAnswer } from '@tidemark/contracts/rpc/monitors'
import type { RunStartedAnswer } from '@tidemark/contracts/rpc/runs'
import type { AskedTicks, SettledAsked } from '../adapters/asked-ticks.ts'
import type { Clock } from '../adapters/clock.ts'
import type { Runs } from '../adapters/runs.ts'
import type { Monitor } from '../domain/monitor.ts'
import { isUncertain, previousRunActive, type Tick } from '../domain/tick.ts'
import { isFinal } from './final.ts'

export type Ports = {
  clock: Clock
  asked: AskedTicks
  runs: Runs
  /** Tells the relay that a row waits. */
  publish: (outboxId: number) => void
}

const tries = 3

/**
 * Refuses while a run of the monitor goes on (409 `previous_run_active`), also one that another request is starting right
 * now, as the coordinator does, and as it was asked to in place of a run of its own.
 */
export const runMonitor =
  (ports: Ports) =>
  async (wanted: RunMonitor): Promise<RunMonitorAnswer> => {
    for (let left = tries; left > 0; left--) {
      const now = await ports.clock()
      const tick = await ports.asked.note(wanted, now)
      if (tick === null) return { started: null }
      const settled = await settleAsked(ports, tick, now)
      if (settled.type === 'refused') throw settled.refusal
      if (settled.type === 'gone') continue
      if (tick.isForeign) throw isActive(settled.started.id)
      return { started: replayOr(tick, settled.started) }
    }
    throw refuse('unavailable', { retryAfterSeconds: 1 })
  }

/** Starts what was asked for, or finds what was started. Throws where nobody knows whether it was. */
export async function settleAsked(
  { asked, runs, publish }: Omit<Ports, 'clock'>,
  tick: Tick,
  now: number,
): Promise<SettledAsked> {
  const settled = await asked.settle(tick, now, (monitor, mine) => start(runs, monitor, mine, now))
  if (settled.type === 'started' && settled.outboxId !== null) publish(settled.outboxId)
  return settled
}

async function start(
  runs: Runs,
  monitor: Monitor,
  tick: Tick | null,
  now: number,
): Promise<RunStartedAnswer | Refusal | null> {
  const { projectId, lastRunId } = monitor
  if (!tick?.isSettled) {
    if (tick && isUncertain(tick, now)) return refuse('conflict')
    if (lastRunId !== null && (await runs.stateOf(projectId, lastRunId)).active) return isActive(lastRunId)
  }
  if (tick === null) return null
  try {
    return await runs.start(monitor, tick.minute)
  } catch (error) {
    if (isFinal(error)) return error
    throw error
  }
}

/** A tick that was settled before is an answer to somebody who repeats the question. */
const replayOr = (tick: Tick, started: RunStartedAnswer): RunStartedAnswer =>
  tick.isSettled ? { ...started, replayed: true } : { ...started, replayed: false }

const isActive = (runId: number) =>
  refuse('conflict', {
    reason: previousRunActive,
    message: `Crawl ${runId} of this monitor is queued or running. Wait for its end, or cancel it.`,
  })
