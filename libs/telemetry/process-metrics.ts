/** What every process tells of itself: how late its event loop is, its memory and its processor time. */
import { totalmem } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { counted, gauge } from './metrics.ts'

const resolutionMs = 10
const quantiles = { p50: 50, p99: 99, max: 100 } as const
const nano = 1e9
const micro = 1e6

const heapLimit = getHeapStatistics().heap_size_limit
/** That of a container; where there is none, a number that means nothing. */
const limit = process.constrainedMemory()
const isBounded = limit > 0 && limit < totalmem()

/** For as long as the process lives. */
export function measureProcess(): void {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  gauge('tidemark.event_loop.delay.seconds', tell => {
    for (const [quantile, percent] of Object.entries(quantiles)) {
      // It measures from one timer to the next: what it waited for on purpose is no delay.
      const seconds = delay.percentile(percent) / nano - resolutionMs / 1_000
      tell(Math.max(0, seconds), { quantile })
    }
    delay.reset()
  })
  gauge('tidemark.process.memory.bytes', tell => {
    const { rss, heapUsed, external } = process.memoryUsage()
    const held = { resident: rss, heap: heapUsed, heap_limit: heapLimit, external }
    for (const [kind, bytes] of Object.entries(held)) tell(bytes, { kind })
    if (isBounded) tell(limit, { kind: 'limit' })
  })
  gauge('tidemark.process.started.seconds', tell => tell(performance.timeOrigin / 1_000, {}))
  counted('tidemark.process.cpu.seconds', tell => {
    const { user, system } = process.cpuUsage()
    for (const [mode, spent] of Object.entries({ user, system })) tell(spent / micro, { mode })
  })
}
