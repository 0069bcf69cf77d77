/** A process that is slowed down from outside, whatever it is: stopped and let go again, many times a second. */
import { setTimeout as sleep } from 'node:timers/promises'

const goesMs = 20

/**
 * Until the signal aborts; then it goes as ever.
 * @param pids those that are slowed now
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
    await sleep(goesMs * (times - 1), undefined, { signal }).catch(() => {})
    signalAll(slowed, 'SIGCONT')
    await sleep(goesMs)
  }
}

function signalAll(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // it ended a moment ago, and whoever started it starts another
    }
  }
}
