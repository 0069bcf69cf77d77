/**
 * What a database can never take, or nobody can read. Such a message would stop a projection for ever: it is told,
 * kept among the dead, and passed over.
 */
import { Unreadable } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { bury } from '@tidemark/bus/dead'
import type { StreamMessage } from '@tidemark/bus/read'

/** A message of a stream that a projection has passed over: nobody can read it, or no table takes what it says. */
export class Unprojectable extends Error {
  override readonly name = 'Unprojectable'
  readonly stream: string
  readonly sequence: number

  constructor(projection: string, stream: string, { sequence, subject }: StreamMessage, cause: unknown) {
    super(`${projection} passes over message ${sequence} of ${stream} (${subject}): ${sayOf(cause)}`, {
      cause,
    })
    this.stream = stream
    this.sequence = sequence
  }
}

type Parting = {
  /** Writes all of these or nothing. */
  write: (messages: StreamMessage[]) => Promise<void>
  passOver: (message: StreamMessage, cause: unknown) => Promise<void>
}

/**
 * Writes a batch; where the database can never take it, or some of it is `Unreadable`, its halves, down to the
 * messages that are to be passed over. What takes too long is halved as well, but a single message is never passed
 * over for that.
 */
export async function parted(messages: StreamMessage[], { write, passOver }: Parting): Promise<void> {
  try {
    await write(messages)
  } catch (error) {
    const [first] = messages
    const isOne = messages.length === 1 && first !== undefined
    if (isOne && isUnstorable(error)) return passOver(first, error)
    if (isOne || !(isUnstorable(error) || isTooSlow(error))) throw error
    const middle = Math.ceil(messages.length / 2)
    await parted(messages.slice(0, middle), { write, passOver })
    await parted(messages.slice(middle), { write, passOver })
  }
}

/** Keeps a copy under `dead.<stream>.<projection>`; the error that tells of it. */
export async function setAside(
  bus: Bus,
  { projection, stream }: { projection: string; stream: string },
  message: StreamMessage,
  cause: unknown,
): Promise<Unprojectable> {
  const { sequence } = message
  await bury(bus, message, { stream, consumer: projection, sequence, attempt: 1, reason: sayOf(cause) })
  return new Unprojectable(projection, stream, message, cause)
}

const sayOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Nobody can read it, no column takes its value (SQLSTATE class 22), or it breaks a rule of its table (class 23). */
const isUnstorable = (error: unknown): boolean =>
  error instanceof Unreadable || /^2[23][0-9A-Z]{3}$/.test(stateOf(error))

/** Cancelled by the server, as a statement is that has used up its time (SQLSTATE 57014). */
const isTooSlow = (error: unknown): boolean => stateOf(error) === '57014'

const stateOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''
