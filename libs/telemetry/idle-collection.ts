/**
 * Gives back the memory that a burst of work needed, first of all the start. V8 collects garbage while a process
 * allocates, so an idle process would keep it: 20 to 35 MB.
 */
import { performance } from 'node:perf_hooks'
import { setInterval } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const intervalMs = 5_000
/** Number of consecutive idle intervals. */
const minIdleIntervals = 2
/** Maximum share of an idle interval in which the process is busy. A service without work still looks for work. */
const maxIdleShare = 0.15
/** Maximum heap to collect. A collection takes 1 to 2 ms per MB, in which the process does nothing else. */
const maxHeapBytes = 256 * 2 ** 20

/** The share of an interval in which the event loop was busy, and the heap at its end. */
type Sample = { busyShare: number; heapBytes: number }
type Ports = { samples: AsyncIterable<Sample> | Iterable<Sample>; collect: () => void }

/**
 * Collects garbage whenever the process becomes idle: once after the start, and once after each time of work. Resolves
 * when there are no more samples; those of the process never end, and do not keep it alive.
 */
export async function collectWhenIdle(
  { samples, collect }: Ports = { samples: samplesOfProcess(), collect: collectNow },
): Promise<void> {
  let idleIntervals = 0
  for await (const { busyShare, heapBytes } of samples) {
    idleIntervals = busyShare <= maxIdleShare ? idleIntervals + 1 : 0
    if (idleIntervals === minIdleIntervals && heapBytes <= maxHeapBytes) collect()
  }
}

async function* samplesOfProcess(): AsyncGenerator<Sample> {
  let before = performance.eventLoopUtilization()
  for await (const _ of setInterval(intervalMs, null, { ref: false })) {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    yield { busyShare: utilization, heapBytes: process.memoryUsage().heapUsed }
  }
}

function collectNow(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
