/**
 * Fires due ticks. Each due minute of a monitor starts at most one run, even if a process dies: the tick is recorded
 * before its run is requested, and the request has the tick's own key. One transaction stores the outcome of the tick
 * and the new state of the monitor.
 */
import { failHere, withWorkSpan } from '@tidemark/bus/trace'
import { spanAttributes, spanNames } from '@tidemark/contracts/traces'
import { counter, histogram } from '@tidemark/telemetry/metrics'
import type { Clock } from '../adapters/clock.ts'
import type { EarlierRuns } from '../adapters/earlier-runs.ts'
import type { Runs } from '../adapters/runs.ts'
import type { Ticks } from '../adapters/ticks.ts'
import type { Monitor } from '../domain/monitor.ts'
import { isUncertain, type Outcome, previousRunActive, type Tick, tooLate } from '../domain/tick.ts'
import { isFinal } from '../handlers/final.ts'
import { previousRun } from '../handlers/previous-run.ts'

export type Ports = {
  clock: Clock
  ticks: Ticks
  runs: Runs
  /** Notifies the relay of a new row in the outbox. */
  publish: (outboxId: number) => void
  report: (error: unknown) => void
}

/** Fires one due tick. Returns false when none is due. */
export const fireNext = (ports: Ports) => async (): Promise<boolean> => {
  const now = await ports.clock()
  const tick = await ports.ticks.begin(now)
  if (tick === null) return false
  const about = { [spanAttributes.monitorId]: tick.monitorId }
  await withWorkSpan(spanNames.fireTick, { service: 'scheduler' }, about, () => fire(ports, tick, now))
  return true
}

async function fire({ ticks, runs, publish, report }: Ports, tick: Tick, now: number): Promise<void> {
  try {
    let outcome: Outcome = { type: 'known' }
    const outboxId = await ticks.settle(tick, now, async (monitor, earlier) => {
      outcome = await act({ runs, earlier, now }, monitor, tick)
      return outcome
    })
    if (outboxId !== null) publish(outboxId)
    count(outcome, now - tick.minute)
  } catch (error) {
    ended(1, { outcome: 'failed' })
    failHere(error)
    if (isReported(tick)) report(error)
  }
}

const ended = counter('tidemark.monitor.ticks')
const late = histogram('tidemark.monitor.lateness.seconds')

function count({ type }: Outcome, lateMs: number): void {
  if (type === 'known') return
  ended(1, { outcome: type })
  if (type === 'fired') late(lateMs / 1_000, {})
}

/** Selects the 1st, 10th, 100th attempt and so on, so that a tick which keeps failing stays in the log. */
const isReported = ({ attempts }: Tick): boolean => Number.isInteger(Math.log10(attempts))

type Acting = { runs: Runs; earlier: EarlierRuns; now: number }

async function act({ runs, earlier, now }: Acting, monitor: Monitor, tick: Tick): Promise<Outcome> {
  if (tick.isSettled) return { type: 'known' }
  if (isUncertain(tick, now)) return { type: 'skipped', reason: tooLate }
  const previous = await previousRun(runs, monitor, earlier)
  try {
    // An earlier attempt may have started the run while the previous one, reopened since, had ended.
    const isRepeated = tick.attempts > 1
    const started = previous.isActive
      ? isRepeated && (await runs.find(monitor, tick.minute))
      : await runs.start(monitor, tick.minute, previous.id)
    return started
      ? { type: 'fired', runId: started.id, previousRunId: previous.id }
      : { type: 'skipped', reason: previousRunActive }
  } catch (error) {
    if (isFinal(error)) return { type: 'skipped', reason: error.reason ?? error.code }
    throw error
  }
}
