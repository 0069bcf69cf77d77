/**
 * Publishes one row of an outbox, once: the stream's duplicate window answers for a row that is young, and
 * beyond it the stream itself is asked whether the row is there already.
 */
import type { Bus } from '@tidemark/bus/connection'
import { isNamed } from '@tidemark/bus/fallen-back'
import { persistently } from '@tidemark/bus/link'
import { Conflict, publish } from '@tidemark/bus/publish'
import { storedMessage, type Wanted } from '@tidemark/bus/stored'
import type { OutboxRow } from './outbox-rows.ts'

/** Half of the shortest duplicate window, so that a publish that takes its time stays within it. */
const trustedSeconds = 60

/**
 * Stores the row in its stream, or finds it there; its sequence. Throws what `publish` throws, and `Conflict`
 * only when somebody else's message stands where the row should.
 */
export async function publishRow(bus: Bus, schema: string, row: OutboxRow): Promise<number> {
  const { subject, payload, headers, expectLast, ageSeconds } = row
  const id = `${schema}-${row.id}`
  if (expectLast === null) {
    // While the row exists, nothing later of this outbox stands on its subject: the last message is it or is older.
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
