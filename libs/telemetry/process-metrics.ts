/** Measures every process: the delay of its event loop, its memory and its CPU time. */
import { totalmem } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { counted, gauge } from './metrics.ts'

const resolutionMs = 10
const quantiles = { p50: 50, p99: 99, max: 100 } as const
const nano = 1e9
const micro = 1e6

const heapLimit = getHeapStatistics().heap_size_limit
/** The memory limit of the container in bytes. Without a container it is a meaningless number. */
const limit = process.constrainedMemory()
const isBounded = limit > 0 && limit < totalmem()

/** Measures as long as the process lives. */
export function measureProcess(): void {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  gauge('tidemark.event_loop.delay.seconds', report => {
    for (const [quantile, percent] of Object.entries(quantiles)) {
      // The histogram contains the intervals between timers, so the intended interval is subtracted.
      const seconds = delay.percentile(percent) / nano - resolutionMs / 1_000
      report(Math.max(0, seconds), { quantile })
    }
    delay.reset()
  })
  gauge('tidemark.process.memory.bytes', report => {
    const { rss, heapUsed, external } = process.memoryUsage()
    const held = { resident: rss, heap: heapUsed, heap_limit: heapLimit, external }
    for (const [kind, bytes] of Object.entries(held)) report(bytes, { kind })
    if (isBounded) report(limit, { kind: 'limit' })
  })
  gauge('tidemark.process.started.seconds', report => report(performance.timeOrigin / 1_000, {}))
  counted('tidemark.process.cpu.seconds', report => {
    const { user, system } = process.cpuUsage()
    for (const [mode, spent] of Object.entries({ user, system })) report(spent / micro, { mode })
  })
}
