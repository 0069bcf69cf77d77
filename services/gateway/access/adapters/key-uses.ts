/** Tells auth-billing which keys let somebody in, once a minute for all of them: a request writes nothing. */
import type { Bus } from '@tidemark/bus/connection'
import { send } from '@tidemark/bus/rpc'
import { keysUsed } from '@tidemark/contracts/rpc/keys'

/** Keys told in one message. */
const maxTold = 10_000

export type KeyUses = AsyncDisposable & {
  /** @param at Epoch milliseconds. */
  note(prefix: string, at: number): void
}

/** Disposing tells what has not been told yet. What cannot be told is forgotten: it is of use to people only. */
export function openKeyUses(bus: Bus, everyMs: number): KeyUses {
  const latest = new Map<string, number>()
  const timer = setInterval(tell, everyMs).unref()

  function tell(): void {
    const used = [...latest].map(([prefix, at]) => ({ prefix, at: new Date(at).toISOString() }))
    latest.clear()
    if (bus.nc.isClosed() || bus.nc.isDraining()) return
    for (let from = 0; from < used.length; from += maxTold) {
      send(bus, keysUsed, { used: used.slice(from, from + maxTold) })
    }
  }

  return {
    note: (prefix, at) => void latest.set(prefix, at),
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      tell()
    },
  }
}
