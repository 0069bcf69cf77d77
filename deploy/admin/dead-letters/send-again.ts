/**
 * Sends a dead letter again: unchanged, to its subject, with a message id of its own. Only then it is deleted from
 * DEAD. If the process dies in between, the letter stays, and a second message is deduplicated by its id or tolerated
 * by its handler.
 */
import type { Bus } from '@tidemark/bus/connection'
import { publish } from '@tidemark/bus/publish'
import { streams } from '@tidemark/contracts/subjects'
import { streamSpecs } from '../../nats/streams.ts'
import { type Letter, remove } from './letters.ts'

export type Sent = { id: number; sequence: number; duplicate: boolean }

/** Streams that deliver a letter again. In every other stream the original message still exists. */
const queues = new Set(streamSpecs({}).flatMap(spec => (spec.retention === 'workqueue' ? [spec.name] : [])))

/** The command that rebuilds the rows of messages that a projection skipped. */
const remedies: Record<string, string> = {
  [`${streams.runs} runs`]: 'rebuild-projections --name runs',
  [`${streams.accounts} accounts`]: 'rebuild-projections --name accounts',
  [`${streams.usage} ledger`]: 'rebuild-projections --name ledger',
}

/** Returns the reason why a letter cannot be sent again, with the remedy; null: it can. */
export function whyNot({ stream, consumer, sequence, bytes, data }: Letter): string | null {
  if (!queues.has(stream)) {
    const remedy = remedies[`${stream} ${consumer}`]
    const then = remedy === undefined ? 'nothing rebuilds it' : `after you fix the cause: ${remedy}`
    return `it is still in ${stream}, at ${sequence}, where ${consumer} skipped it; ${then}`
  }
  return data === null ? `it had ${bytes} bytes and was left out` : null
}

/** Sends a letter again for which `whyNot` returns null. Throws `StreamFull` if its stream is full. */
export async function sendAgain(bus: Bus, { id, subject, data, headers }: Letter): Promise<Sent> {
  const { sequence, duplicate } = await publish(bus, subject, data ?? '', { id: `replay:${id}`, headers })
  await remove(bus, id)
  return { id, sequence, duplicate }
}
