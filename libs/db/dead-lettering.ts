/**
 * Skips messages that the database can never store, or that cannot be read. Such a message would block a projection
 * forever, so it is reported and dead-lettered.
 */
import { messageOf } from '@tidemark/bus/cause'
import { Unreadable } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { storeDeadLetter } from '@tidemark/bus/dead'
import type { StreamMessage } from '@tidemark/bus/read'
import { isTooSlow } from './too-slow.ts'

/** Reports a message that a projection has skipped: it cannot be read, or no table can store it. */
export class Unprojectable extends Error {
  override readonly name = 'Unprojectable'
  readonly stream: string
  readonly sequence: number

  constructor(projection: string, stream: string, { sequence, subject }: StreamMessage, cause: unknown) {
    super(`${projection} skips message ${sequence} of ${stream} (${subject}): ${messageOf(cause)}`, {
      cause,
    })
    this.stream = stream
    this.sequence = sequence
  }
}

type Parting = {
  /** Writes all of these or nothing. */
  write: (messages: StreamMessage[]) => Promise<void>
  skipMessage: (message: StreamMessage, cause: unknown) => Promise<void>
}

/**
 * Writes a batch. If the database can never store it, or a message is `Unreadable`, it writes the halves, down to the
 * messages to skip. A batch that takes too long is halved as well, but a single message is never skipped for that.
 */
export async function parted(messages: StreamMessage[], { write, skipMessage }: Parting): Promise<void> {
  try {
    await write(messages)
  } catch (error) {
    const [first] = messages
    const isOne = messages.length === 1 && first !== undefined
    if (isOne && isUnstorable(error)) return skipMessage(first, error)
    if (isOne || !(isUnstorable(error) || isTooSlow(error))) throw error
    const middle = Math.ceil(messages.length / 2)
    await parted(messages.slice(0, middle), { write, skipMessage })
    await parted(messages.slice(middle), { write, skipMessage })
  }
}

/** Keeps a copy under `dead.<stream>.<projection>` and returns the error to report. */
export async function deadLetter(
  bus: Bus,
  { projection, stream }: { projection: string; stream: string },
  message: StreamMessage,
  cause: unknown,
): Promise<Unprojectable> {
  const { sequence } = message
  await storeDeadLetter(bus, message, {
    stream,
    consumer: projection,
    sequence,
    attempt: 1,
    reason: messageOf(cause),
  })
  return new Unprojectable(projection, stream, message, cause)
}

/**
 * Returns whether a message cannot be read, no column takes its value (SQLSTATE class 22), or it violates a constraint
 * (class 23).
 */
const isUnstorable = (error: unknown): boolean =>
  error instanceof Unreadable || /^2[23][0-9A-Z]{3}$/.test(stateOf(error))

const stateOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''
