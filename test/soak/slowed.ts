/** Slows any process down from outside: it is stopped and continued many times per second. */
import { setTimeout as sleep } from 'node:timers/promises'

const runMs = 20

/**
 * Slows the processes until the signal aborts.
 * @param pids returns the processes to slow now
 * @param times how many times slower
 */
export async function slowDown(
  pids: () => Promise<number[]>,
  times: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const slowed = await pids()
    signalAll(slowed, 'SIGSTOP')
    await sleep(runMs * (times - 1), undefined, { signal }).catch(() => {})
    signalAll(slowed, 'SIGCONT')
    await sleep(runMs)
  }
}

function signalAll(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // the process has just ended, and its launcher starts another
    }
  }
}
