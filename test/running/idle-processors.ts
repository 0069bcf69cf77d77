/** Measures how much of the processors nothing uses. */
import os from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

/** Long enough that a task which waits for a response for a moment does not seem idle. */
const observedMs = 3_000

/**
 * Observes the whole machine for three seconds, and resolves with the number of processors that were idle. Resolves
 * with 0 if this process may use only some of the processors, because their use cannot be measured separately.
 */
export async function idleProcessors(): Promise<number> {
  const before = ticks()
  await sleep(observedMs)
  const after = ticks()
  const all = after.all - before.all
  const isWhole = after.processors === os.availableParallelism()
  return !isWhole || all === 0 ? 0 : ((after.idle - before.idle) / all) * after.processors
}

function ticks(): { all: number; idle: number; processors: number } {
  const times = os.cpus().map(({ times }) => times)
  const sum = (of: (each: (typeof times)[number]) => number) =>
    times.reduce((total, each) => total + of(each), 0)
  return {
    all: sum(({ user, nice, sys, irq, idle }) => user + nice + sys + irq + idle),
    idle: sum(({ idle }) => idle),
    processors: times.length,
  }
}
