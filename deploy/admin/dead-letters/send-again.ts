/**
 * Sends a dead letter again: as it was, to where it came from, under a name of its own, and only then it leaves DEAD.
 * Who dies in between leaves it there, and the second message is dropped by its name, or borne by its handler.
 */
import type { Bus } from '@tidemark/bus/connection'
import { publish } from '@tidemark/bus/publish'
import { streams } from '@tidemark/contracts/subjects'
import { streamSpecs } from '../../nats/streams.ts'
import { type Letter, remove } from './letters.ts'

export type Sent = { id: number; sequence: number; duplicate: boolean }

/** Who hands out what was given up again; of any other stream the message itself stays where it is. */
const queues = new Set(streamSpecs({}).flatMap(spec => (spec.retention === 'workqueue' ? [spec.name] : [])))

/** What makes the rows again that a projection passed over. */
const remedies: Record<string, string> = {
  [`${streams.runs} runs`]: 'rebuild-projections --name runs',
  [`${streams.accounts} accounts`]: 'rebuild-projections --name accounts',
  [`${streams.usage} ledger`]: 'rebuild-projections --name ledger',
}

/** Why it cannot be sent again, and what helps; null where it can. */
export function whyNot({ stream, consumer, sequence, bytes, data }: Letter): string | null {
  if (!queues.has(stream)) {
    const remedy = remedies[`${stream} ${consumer}`]
    const then = remedy === undefined ? 'nothing rebuilds it' : `after you fix the cause: ${remedy}`
    return `it stands in ${stream} still, at ${sequence}, where ${consumer} passed it over; ${then}`
  }
  return data === null ? `it had ${bytes} bytes and was left out` : null
}

/** Of what `whyNot` has nothing against. Throws `StreamFull` where there is no room for it. */
export async function sendAgain(bus: Bus, { id, subject, data, headers }: Letter): Promise<Sent> {
  const { sequence, duplicate } = await publish(bus, subject, data ?? '', { id: `replay:${id}`, headers })
  await remove(bus, id)
  return { id, sequence, duplicate }
}
