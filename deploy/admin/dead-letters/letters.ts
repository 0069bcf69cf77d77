/** Reads the stream DEAD as dead letters: each message, its consumer and the reason. The id of a letter is its sequence in DEAD. */
import type { StoredMsg } from '@nats-io/jetstream'
import type { Bus } from '@tidemark/bus/connection'
import { deadHeaders } from '@tidemark/bus/dead'
import { persistently } from '@tidemark/bus/link'
import type { StreamMessage } from '@tidemark/bus/read'
import { storedMessage } from '@tidemark/bus/stored'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { lastSequence, replay } from '../rebuild/replay.ts'

export type Letter = {
  id: number
  /** The stream of the message, and the consumer that dead-lettered it. */
  stream: string
  consumer: string
  subject: string
  /** The sequence of the message in its stream, and the number of the delivery that dead-lettered it. */
  sequence: number
  attempt: number
  reason: string
  at: Date
  /** Size of the message in bytes. */
  bytes: number
  /** Null if it was too large to be stored. */
  data: Uint8Array | null
  /** The headers with which the message was published. */
  headers: Record<string, string>
}

export type Wanted = { stream?: string | undefined; since?: Date | undefined }

const answerLimitMs = 5_000
/** Headers that NATS and the dead-lettering add. */
const addedHeaders = /^(dead|nats)-/i

/** Returns a letter, or null if it does not exist or was deleted. */
export async function letterOf(bus: Bus, id: number): Promise<Letter | null> {
  const stored = await storedMessage(bus, streams.dead, { seq: id })
  return stored && fromStored(stored)
}

/** Passes all matching letters up to now to `take`, the oldest first, in batches. */
export async function eachLetter(
  bus: Bus,
  { stream, since }: Wanted,
  take: (letters: Letter[]) => Promise<void>,
): Promise<void> {
  const filter = stream === undefined ? 'dead.>' : subjects.dead(stream, '*')
  const to = await lastSequence(bus, streams.dead, filter)
  await replay(bus, { stream: streams.dead, filter, to }, async messages => {
    const letters = messages.map(fromRead).filter(({ at }) => since === undefined || at >= since)
    if (letters.length > 0) await take(letters)
  })
}

/** Deletes a letter from DEAD permanently. Returns false if it was already deleted. */
export async function remove(bus: Bus, id: number): Promise<boolean> {
  return persistently(bus.nc, answerLimitMs, () => bus.jsm.streams.deleteMessage(streams.dead, id)).catch(
    async error => {
      if ((await letterOf(bus, id)) === null) return false
      throw error
    },
  )
}

type Buried = Pick<Letter, 'id' | 'at'> & {
  subject: string
  data: Uint8Array
  headers: Pick<NonNullable<StreamMessage['headers']>, 'get' | 'keys'> | undefined
}

const fromRead = ({ sequence: id, time: at, subject, data, headers }: StreamMessage) =>
  read({ id, at, subject, data, headers })

const fromStored = ({ seq: id, time: at, subject, data, header: headers }: StoredMsg) =>
  read({ id, at, subject, data, headers })

function read({ id, at, subject, data, headers }: Buried): Letter {
  const [, stream = '', consumer = ''] = subject.split('.')
  const headerText = (name: string) => headers?.get(name) ?? ''
  const leftOut = headerText(deadHeaders.bytes)
  const own = headers?.keys().filter(name => !addedHeaders.test(name)) ?? []
  return {
    id,
    stream,
    consumer,
    subject: headerText(deadHeaders.subject),
    sequence: Number(headerText(deadHeaders.sequence)),
    attempt: Number(headerText(deadHeaders.attempt)),
    reason: headerText(deadHeaders.reason),
    at,
    bytes: leftOut === '' ? data.length : Number(leftOut),
    data: leftOut === '' ? data : null,
    headers: Object.fromEntries(own.map(name => [name, headerText(name)])),
  }
}
