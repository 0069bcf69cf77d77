/** Tells what the streams hold: how full each is, and how long the oldest message of a work queue waits already. */
import type { Bus } from '@tidemark/bus/connection'
import { gauge } from '@tidemark/telemetry/metrics'

type Stream = { name: string; bytes: number; most: number; messages: number; oldestSeconds: number | null }

/** Several gauges that are read together share one look. */
const lookMs = 1_000

/** Until it is disposed of. */
export function measureStreams({ jsm }: Pick<Bus, 'jsm'>): Disposable {
  let last: { at: number; found: Promise<Stream[]> } | null = null
  const streams = () => {
    const now = performance.now()
    if (last === null || now - last.at > lookMs) last = { at: now, found: look(jsm) }
    return last.found
  }
  const measuring = new DisposableStack()
  measuring.use(
    gauge('tidemark.stream.bytes', async tell => {
      for (const { name, bytes, most } of await streams()) {
        tell(bytes, { stream: name, kind: 'held' })
        if (most > 0) tell(most, { stream: name, kind: 'limit' })
      }
    }),
  )
  measuring.use(
    gauge('tidemark.stream.messages', async tell => {
      for (const { name, messages } of await streams()) tell(messages, { stream: name })
    }),
  )
  measuring.use(
    gauge('tidemark.queue.oldest.seconds', async tell => {
      for (const { name, oldestSeconds } of await streams())
        if (oldestSeconds !== null) tell(oldestSeconds, { stream: name })
    }),
  )
  return measuring
}

async function look(jsm: Bus['jsm']): Promise<Stream[]> {
  const found: Stream[] = []
  for await (const { config, state } of jsm.streams.list()) {
    const { bytes, messages, first_ts } = state
    const isQueue = config.retention === 'workqueue'
    const oldestSeconds = messages === 0 ? 0 : Math.max(0, (Date.now() - Date.parse(first_ts)) / 1_000)
    found.push({
      ...{ name: config.name, bytes, messages, most: config.max_bytes },
      oldestSeconds: isQueue ? oldestSeconds : null,
    })
  }
  return found
}
