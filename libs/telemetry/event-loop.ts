/**
 * Logs when the event loop of a process was blocked. A long computation makes all other work of the process wait, and
 * nothing else would report it. It costs a small timer, and is off by default.
 */
import type { Logger } from './log.ts'

const everyMs = 10

/**
 * Logs `event loop stalled` when a timer was more than `stallMs` late: `ms` is the delay, and `cpu_ms` the CPU time
 * of the thread during it. A much smaller `cpu_ms` means that the machine had no core to spare. Dispose the result to
 * stop. The timer does not keep the process alive.
 */
export function watchEventLoop(log: Pick<Logger, 'warn'>, stallMs: number): Disposable {
  let [before, computed] = [performance.now(), computedMs()]
  const look = () => {
    const [now, computedNow] = [performance.now(), computedMs()]
    const ms = Math.round(now - before - everyMs)
    if (ms > stallMs) log.warn({ ms, cpu_ms: Math.round(computedNow - computed) }, 'event loop stalled')
    before = now
    computed = computedNow
  }
  const timer = setInterval(look, everyMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

function computedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
