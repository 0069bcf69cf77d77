/** Waits until the processors of this machine have little to do, for background work. */
import os from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

const pollIntervalMs = 5_000
/** Number of consecutive measurements that must find the machine idle. */
const idleMeasurements = 4
const idleShare = 0.9
/** Maximum wait in ms, for machines that are never idle. */
const maxWaitMs = 15 * 60_000

type Times = { idle: number; all: number }
type Ports = { times: () => Times; pause: (ms: number, signal: AbortSignal) => Promise<void> }

const own: Ports = {
  times: timesOfProcessors,
  pause: (ms, signal) => sleep(ms, undefined, { signal, ref: false }),
}

/**
 * Resolves when all processors together were at least 90 % idle for 20 s, or after 15 minutes. Rejects with an
 * `AbortError` when the signal aborts.
 */
export async function untilIdle(signal: AbortSignal, { times, pause }: Ports = own): Promise<void> {
  let last = times()
  for (let found = 0, waited = 0; found < idleMeasurements && waited < maxWaitMs; waited += pollIntervalMs) {
    await pause(pollIntervalMs, signal)
    const now = times()
    found = now.idle - last.idle >= idleShare * (now.all - last.all) ? found + 1 : 0
    last = now
  }
}

function timesOfProcessors(): Times {
  const all = os.cpus().map(({ times }) => times)
  return {
    idle: all.reduce((sum, { idle }) => sum + idle, 0),
    all: all.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0),
  }
}
