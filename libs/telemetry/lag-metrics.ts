/** Measures the lag of projections behind their streams: in messages, and in seconds, which users notice. */
import { gauge } from './metrics.ts'

/** A negative number of messages means that the stream lost messages that were read. */
type Lag = { projection: string; stream: string; messages: number; seconds: number }

/** Gauges that are read within this time share one query. */
const cachedMs = 1_000

/** Measures until the result is disposed. */
export function measureLags(look: () => Promise<readonly Lag[]>): Disposable {
  let last: { at: number; found: Promise<readonly Lag[]> } | null = null
  const lags = () => {
    const now = performance.now()
    if (last === null || now - last.at > cachedMs) last = { at: now, found: look() }
    return last.found
  }
  const measuring = new DisposableStack()
  measuring.use(
    gauge('tidemark.projection.lag', async report => {
      for (const { projection, stream, messages } of await lags()) report(messages, { projection, stream })
    }),
  )
  measuring.use(
    gauge('tidemark.projection.behind.seconds', async report => {
      for (const { projection, stream, seconds } of await lags()) report(seconds, { projection, stream })
    }),
  )
  return measuring
}
