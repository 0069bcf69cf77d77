/** Exports the last metrics and spans of a process that ends by itself, or by SIGTERM or SIGINT. */

/** Interval of exports while the process stops. */
const flushMs = 500

/**
 * Exports when the process ends. Without another listener a signal keeps its default effect. With one, the process is
 * flushed until it exits.
 * @param shutDown the last export, after which nothing is exported; default: `flush`
 */
export function exportAtEnd(flush: () => Promise<unknown>, shutDown = flush): void {
  process.once('beforeExit', () => void quietly(shutDown))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stopping(signal))

  async function stopping(signal: NodeJS.Signals): Promise<void> {
    if (process.listenerCount(signal) === 0) {
      await quietly(shutDown)
      process.kill(process.pid, signal)
      return
    }
    setInterval(() => void quietly(flush), flushMs).unref()
    await quietly(flush)
  }
}

/** Exports, and ignores a failure, which must not end the process. */
const quietly = (work: () => Promise<unknown>): Promise<unknown> => work().catch(() => {})
