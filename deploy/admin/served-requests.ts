/** Reads SERVED: the units, calls of a language model and cost of each request, and whether billing must have processed it. */
import type { StreamMessage } from '@tidemark/bus/read'
import { nameOfPart, type RequestServed, type ServedCommit } from '@tidemark/contracts/served'
import { microUsd, noSpending, type Spending } from './billed-totals.ts'
import { decodeCommit } from './legible.ts'

export type ServedRequest = { units: Spending; isDue: boolean }

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
      const isDue = message.sequence <= billedUpTo
      const { events } = decodeCommit<ServedCommit>(message, illegible) ?? { events: [] }
      for (const { type, data } of events) {
        const name = nameOfPart(data)
        if (type === 'RequestServed' && !requests.has(name))
          requests.set(name, { units: spendingOf(data), isDue })
      }
      // A request has at most one `ModelCalled`, which may precede `RequestServed` in the commit.
      for (const { type, data } of events) {
        if (type !== 'ModelCalled') continue
        const name = nameOfPart(data)
        const request = requests.get(name) ?? { units: noSpending(), isDue }
        request.units.model_call = 1
        requests.set(name, request)
      }
    }
  }
  return { requests, illegible, take }
}

/** Returns the units and cost to bill for a request. Its first unit has the cost, so a request without units has none. */
function spendingOf({ units, costUsd }: RequestServed['data']): Spending {
  const spending = noSpending()
  for (const { kind, n } of units) spending[kind] += n
  if (units.length > 0) spending.micro_usd = microUsd(costUsd)
  return spending
}
