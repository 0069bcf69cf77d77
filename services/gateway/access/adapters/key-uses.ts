/** Reports the used keys to auth-billing, once a minute in one message, so that a request writes nothing. */
import type { Bus } from '@tidemark/bus/connection'
import { sendWithoutResponse } from '@tidemark/bus/rpc'
import { keysUsed } from '@tidemark/contracts/rpc/keys'

/** Maximum number of keys in one message. */
const maxKeysPerMessage = 10_000

export type KeyUses = AsyncDisposable & {
  /** @param at Epoch milliseconds. */
  record(prefix: string, at: number): void
  /** Returns the last use that was not reported yet, in epoch milliseconds; null: none. */
  latest(prefix: string): number | null
}

/**
 * Opens the report. Disposing it reports the remaining uses. Uses that cannot be reported are dropped, because they are
 * only information for people.
 */
export function openKeyUses(bus: Bus, everyMs: number): KeyUses {
  const latest = new Map<string, number>()
  const timer = setInterval(reportUses, everyMs).unref()

  function reportUses(): void {
    const used = [...latest].map(([prefix, at]) => ({ prefix, at: new Date(at).toISOString() }))
    latest.clear()
    if (bus.nc.isClosed() || bus.nc.isDraining()) return
    for (let from = 0; from < used.length; from += maxKeysPerMessage) {
      sendWithoutResponse(bus, keysUsed, { used: used.slice(from, from + maxKeysPerMessage) })
    }
  }

  return {
    record: (prefix, at) => void latest.set(prefix, at),
    latest: prefix => latest.get(prefix) ?? null,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      reportUses()
    },
  }
}
