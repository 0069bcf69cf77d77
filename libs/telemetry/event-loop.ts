/**
 * Tells when a process held its event loop up: whoever computes for long in one piece makes all others of the
 * process wait, and nothing else would say so. Costs a small timer; nothing is watched unless somebody asks.
 */
import type { Logger } from './log.ts'

const everyMs = 10

/**
 * Logs `event loop stalled` when a timer came more than `stallMs` late: `ms` is by how much, and `cpu_ms` how
 * long the thread itself computed meanwhile. Much less of it means that the machine had no core to spare.
 * Dispose of it to stop watching; it keeps no process alive.
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
