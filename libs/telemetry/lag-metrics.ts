/** How far projections are behind their streams: in messages, and in seconds, which is what customers feel. */
import { gauge } from './metrics.ts'

/** Below 0 messages a stream has lost what was read of it. */
type Lag = { projection: string; stream: string; messages: number; seconds: number }

/** Several gauges that are read together share one look. */
const lookMs = 1_000

/** Until it is disposed of. */
export function measureLags(look: () => Promise<readonly Lag[]>): Disposable {
  let last: { at: number; found: Promise<readonly Lag[]> } | null = null
  const lags = () => {
    const now = performance.now()
    if (last === null || now - last.at > lookMs) last = { at: now, found: look() }
    return last.found
  }
  const measuring = new DisposableStack()
  measuring.use(
    gauge('tidemark.projection.lag', async tell => {
      for (const { projection, stream, messages } of await lags()) tell(messages, { projection, stream })
    }),
  )
  measuring.use(
    gauge('tidemark.projection.behind.seconds', async tell => {
      for (const { projection, stream, seconds } of await lags()) tell(seconds, { projection, stream })
    }),
  )
  return measuring
}
