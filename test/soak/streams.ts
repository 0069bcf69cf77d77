/** How much the streams of a running system hold, at most, while somebody looks. */
import { setTimeout as sleep } from 'node:timers/promises'
import { openBus } from '@tidemark/bus/connection'

export type StreamSize = { name: string; most: number; limit: number }

/** Until the signal aborts; bytes. */
export async function streamSizes(url: string, everyMs: number, signal: AbortSignal): Promise<StreamSize[]> {
  const bus = await openBus({ url, name: 'soak' })
  const sizes = new Map<string, StreamSize>()
  try {
    while (!signal.aborted) {
      for await (const { config, state } of bus.jsm.streams.list()) {
        const most = Math.max(state.bytes, sizes.get(config.name)?.most ?? 0)
        sizes.set(config.name, { name: config.name, most, limit: config.max_bytes })
      }
      await sleep(everyMs, undefined, { signal }).catch(() => {})
    }
  } finally {
    await bus.close()
  }
  return [...sizes.values()].sort((a, b) => a.name.localeCompare(b.name))
}
