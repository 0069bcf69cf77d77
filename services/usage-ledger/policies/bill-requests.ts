/**
 * Whenever a request was served, it is billed. Like a run's, its bills are published under names taken from its
 * commit, before the commit counts as read: a crash in between bills it again, with the same names and tokens.
 */
import type { UsageCommit } from '@tidemark/contracts/usage'
import type { Projection } from '@tidemark/db/projector'
import { readRequestFacts } from '../adapters/commits.ts'
import { drop } from '../adapters/reservations.ts'
import type { Waivers } from '../adapters/waivers.ts'
import { billedOn, billsFor, listedIn, type RequestFacts } from '../domain/billing.ts'

export type Ports = {
  /** Stores a bill in USAGE, once under a name. */
  publish: (bill: UsageCommit, projectId: number, id: string) => Promise<void>
  /** Kept when the batch is committed. */
  waivers: Waivers
}

/**
 * Applies messages of SERVED, and throws `Unreadable`. The ledger ends the reservation of who is billed; that of the
 * others ends here.
 */
export const billRequests =
  ({ publish, waivers }: Ports): Projection['apply'] =>
  async (client, messages) => {
    waivers.begin()
    const read = messages.map(message => ({
      name: `served-${message.sequence}`,
      value: readRequestFacts(message),
    }))
    const requests = read.flatMap(({ name, value }) =>
      value.map(facts => ({ facts, name, bills: bill(facts, waivers) })),
    )
    await Promise.all(requests.map(request => publishInOrder(publish, request)))
    await drop(
      client,
      requests.filter(({ bills }) => bills.length === 0).map(({ facts }) => facts.served),
    )
  }

type Billed = { facts: RequestFacts; name: string; bills: UsageCommit[] }

function bill(facts: RequestFacts, waivers: Waivers): UsageCommit[] {
  const { projectId } = facts.served
  const day = billedOn(facts)
  const bills = billsFor(facts, waivers.room(projectId, day))
  waivers.spend(projectId, day, listedIn(bills))
  return bills
}

/** The last one of them ends the reservation. */
async function publishInOrder(publish: Ports['publish'], { facts, name, bills }: Billed): Promise<void> {
  for (const [number, bill] of bills.entries()) {
    await publish(bill, facts.served.projectId, `${name}-${number}`)
  }
}
