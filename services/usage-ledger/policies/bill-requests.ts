/**
 * Bills each served request. A bill has a message id from its commit and is published before the commit counts as read.
 * After a crash in between, the commit is billed again with the same ids and tokens.
 */
import type { UsageCommit } from '@tidemark/contracts/usage'
import type { Projection } from '@tidemark/db/projector'
import { readRequestFacts } from '../adapters/commits.ts'
import { countFree } from '../adapters/free-results.ts'
import { drop } from '../adapters/reservations.ts'
import type { Waivers } from '../adapters/waivers.ts'
import { billedOn, billsFor, freeOfRequest, listedIn, type RequestFacts } from '../domain/billing.ts'

export type Ports = {
  /** Stores a bill in USAGE. A second bill with the same message id is dropped. */
  publish: (bill: UsageCommit, projectId: number, id: string) => Promise<void>
  /** Limits the listed free units. The caller calls `keep` when the batch is committed. */
  waivers: Waivers
}

/**
 * Applies messages of SERVED. The projection `ledger` ends the reservations of billed requests. This policy ends the
 * reservations of requests without a bill.
 * @throws Unreadable
 */
export const billRequests =
  ({ publish, waivers }: Ports): Projection['apply'] =>
  async (client, messages) => {
    waivers.begin()
    const requests = messages.flatMap(message => {
      const name = `served-${message.sequence}`
      return readRequestFacts(message).map(facts => ({ facts, name, bills: bill(facts, waivers) }))
    })
    await Promise.all(requests.map(request => publishInOrder(publish, request)))
    await countFree(
      client,
      requests.map(({ facts }) => freeOfRequest(facts)),
    )
    await drop(
      client,
      requests.filter(({ bills }) => bills.length === 0).map(({ facts }) => facts.served),
    )
  }

type Billed = { facts: RequestFacts; name: string; bills: UsageCommit[] }

function bill(facts: RequestFacts, waivers: Waivers): UsageCommit[] {
  const { projectId } = facts.served
  const day = billedOn(facts)
  const bills = billsFor(facts, waivers.remaining(projectId, day))
  waivers.spend(projectId, day, listedIn(bills))
  return bills
}

/** Publishes the bills of a request in order, because the last one ends the reservation. */
async function publishInOrder(publish: Ports['publish'], { facts, name, bills }: Billed): Promise<void> {
  for (const [number, bill] of bills.entries()) {
    await publish(bill, facts.served.projectId, `${name}-${number}`)
  }
}
