/**
 * Publishes one row of an outbox exactly once. The stream's duplicate window covers young rows. For older rows the
 * stream is checked first.
 */
import type { Bus } from '@tidemark/bus/connection'
import { persistently } from '@tidemark/bus/link'
import { isNamed } from '@tidemark/bus/loss/fallen-back'
import { Conflict, publish } from '@tidemark/bus/publish'
import { storedMessage, type Wanted } from '@tidemark/bus/stored'
import type { OutboxRow } from './outbox-rows.ts'

/** Half of the shortest duplicate window, so that a slow publish stays within it. */
const trustedSeconds = 60

/**
 * Stores the row in its stream, or finds it there, and returns its sequence. Throws as `publish` does, and `Conflict`
 * only if another writer's message has the row's position.
 */
export async function publishRow(bus: Bus, schema: string, row: OutboxRow): Promise<number> {
  const { subject, payload, headers, expectLast, ageSeconds } = row
  const id = `${schema}-${row.id}`
  if (expectLast === null) {
    // While the row exists, no later message of this outbox is on its subject: the last message is the row or older.
    const last = ageSeconds > trustedSeconds ? await lookUp(bus, subject, { last_by_subj: subject }) : null
    if (last !== null && isNamed(last.header.get('Nats-Msg-Id'), id)) return last.seq
    return (await publish(bus, subject, payload, { id, headers })).sequence
  }
  try {
    return (await publish(bus, subject, payload, { id, headers, expectLast })).sequence
  } catch (error) {
    if (!(error instanceof Conflict)) throw error
    const next = await lookUp(bus, subject, { seq: expectLast + 1, next_by_subj: subject })
    if (next !== null && isRow(next, id, payload)) return next.seq
    throw error
  }
}

const answerMs = 5_000

async function lookUp(bus: Bus, subject: string, wanted: Wanted) {
  const stream = await persistently(bus.nc, answerMs, () => bus.jsm.streams.find(subject))
  return storedMessage(bus, stream, wanted)
}

type Stored = NonNullable<Awaited<ReturnType<typeof lookUp>>>

const isRow = ({ header, data }: Stored, id: string, payload: Uint8Array) =>
  isNamed(header.get('Nats-Msg-Id'), id) || Buffer.compare(data, payload) === 0
