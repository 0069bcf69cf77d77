/** The maximum sizes of the streams of a running system. */
import { setTimeout as sleep } from 'node:timers/promises'
import { openBus } from '@tidemark/bus/connection'

export type StreamSize = { name: string; max: number; limit: number }

/** Samples until the signal aborts. Sizes are in bytes. */
export async function streamSizes(url: string, everyMs: number, signal: AbortSignal): Promise<StreamSize[]> {
  const bus = await openBus({ url, name: 'soak' })
  const sizes = new Map<string, StreamSize>()
  try {
    while (!signal.aborted) {
      for await (const { config, state } of bus.jsm.streams.list()) {
        const max = Math.max(state.bytes, sizes.get(config.name)?.max ?? 0)
        sizes.set(config.name, { name: config.name, max, limit: config.max_bytes })
      }
      await sleep(everyMs, undefined, { signal }).catch(() => {})
    }
  } finally {
    await bus.close()
  }
  return [...sizes.values()].sort((a, b) => a.name.localeCompare(b.name))
}
