/** What every process tells of itself: how late its event loop is, its memory and its processor time. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { counted, gauge } from './metrics.ts'

const resolutionMs = 10
const quantiles = { p50: 50, p99: 99, max: 100 } as const
const nano = 1e9
const micro = 1e6

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
    for (const [kind, bytes] of Object.entries({ resident: rss, heap: heapUsed, external }))
      tell(bytes, { kind })
  })
  counted('tidemark.process.cpu.seconds', tell => {
    const { user, system } = process.cpuUsage()
    for (const [mode, spent] of Object.entries({ user, system })) tell(spent / micro, { mode })
  })
}
