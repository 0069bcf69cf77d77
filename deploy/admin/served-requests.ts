/** Reads SERVED: the units of each request, and whether billing must have processed it. */
import type { StreamMessage } from '@tidemark/bus/read'
import { nameOfPart, type ServedCommit } from '@tidemark/contracts/served'
import { commitOf } from './legible.ts'
import { noUnits, type Units } from './units-spent.ts'

export type ServedRequest = { units: Units; isDue: boolean }

export type ServedRequests = {
  /** Requests by their id, or the id of their part. */
  requests: ReadonlyMap<string, ServedRequest>
  /** Unreadable parts, in sentences. */
  illegible: readonly string[]
  take(messages: readonly StreamMessage[]): void
}

/**
 * Returns an empty collector. `billedUpTo` is the sequence that billing has reached. A request that was stored twice
 * counts once.
 */
export function servedRequests(billedUpTo: number): ServedRequests {
  const requests = new Map<string, ServedRequest>()
  const illegible: string[] = []

  function take(messages: readonly StreamMessage[]): void {
    for (const message of messages) {
      const { sequence } = message
      for (const { type, data: served } of commitOf<ServedCommit>(message, illegible)?.events ?? []) {
        const name = nameOfPart(served)
        if (type !== 'RequestServed' || requests.has(name)) continue
        const units = noUnits()
        for (const { kind, n } of served.units) units[kind] += n
        requests.set(name, { units, isDue: sequence <= billedUpTo })
      }
    }
  }
  return { requests, illegible, take }
}
