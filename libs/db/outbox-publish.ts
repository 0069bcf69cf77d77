/**
 * Publishes one row of an outbox exactly once. The stream's duplicate window covers young rows. For older rows the
 * stream is checked first.
 */
import { hash } from 'node:crypto'
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
  const { subject, expectLast, ageSeconds } = row
  const id = `${schema}-${row.id}`
  if (expectLast === null) {
    // While the row exists, no later message of this outbox is on its subject: the last message is the row or older.
    const last = ageSeconds > trustedSeconds ? await lookUp(bus, subject, { last_by_subj: subject }) : null
    if (last !== null && isNamed(last.header.get('Nats-Msg-Id'), id) && isRow(last, row)) return last.seq
    return store(bus, id, row)
  }
  try {
    return await store(bus, id, row)
  } catch (error) {
    if (!(error instanceof Conflict)) throw error
    const next = await lookUp(bus, subject, { seq: expectLast + 1, next_by_subj: subject })
    if (next !== null && isRow(next, row)) return next.seq
    throw error
  }
}

/**
 * Publishes the row, and returns its sequence. A Postgres that lost its last seconds in a failover gives their numbers to
 * new rows, which the stream then takes for duplicates. Such a row is published again, with its content in its id.
 */
async function store(bus: Bus, id: string, row: OutboxRow): Promise<number> {
  const { subject, payload, headers, expectLast } = row
  const options = { headers, ...(expectLast !== null && { expectLast }) }
  const { sequence, duplicate } = await publish(bus, subject, payload, { id, ...options })
  if (!duplicate) return sequence
  const first = await lookUp(bus, subject, { seq: sequence })
  if (first === null || isRow(first, row)) return sequence
  const ownId = `${id} ${hash('sha256', payload, 'base64url')}`
  return (await publish(bus, subject, payload, { id: ownId, ...options })).sequence
}

const answerMs = 5_000

async function lookUp(bus: Bus, subject: string, wanted: Wanted) {
  const stream = await persistently(bus.nc, answerMs, () => bus.jsm.streams.find(subject))
  return storedMessage(bus, stream, wanted)
}

type Stored = NonNullable<Awaited<ReturnType<typeof lookUp>>>

const isRow = (stored: Stored, { subject, payload }: OutboxRow) =>
  stored.subject === subject && Buffer.compare(stored.data, payload) === 0
