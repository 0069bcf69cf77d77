/**
 * The stream DEAD keeps terminated messages unchanged, with the data that is needed to send them again. Of large
 * messages it keeps only the headers.
 */
import type { MsgHdrs } from '@nats-io/transport-node'
import { subjects } from '@tidemark/contracts/subjects'
import type { Bus } from './connection.ts'
import { publish } from './publish.ts'

export const deadHeaders = {
  reason: 'Dead-Reason',
  subject: 'Dead-Subject',
  sequence: 'Dead-Sequence',
  attempt: 'Dead-Attempt',
  /** Size in bytes of a body that was left out. */
  bytes: 'Dead-Bytes',
} as const

type TerminatedMessage = { subject: string; data: Uint8Array; headers?: MsgHdrs | undefined }

type Termination = { stream: string; consumer: string; sequence: number; attempt: number; reason: string }

const maxReasonLength = 1_000
/** Maximum bytes of a stored body: a few pages of many megabytes would evict all other messages. */
const maxBytes = 1024 ** 2

/** Stores a message in the stream DEAD under `dead.<stream>.<consumer>`. Repeated calls store it once. */
export async function storeDeadLetter(
  bus: Bus,
  message: TerminatedMessage,
  termination: Termination,
): Promise<void> {
  const { stream, consumer, sequence, attempt, reason } = termination
  const isLarge = message.data.length > maxBytes
  await publish(bus, subjects.dead(stream, consumer), isLarge ? '' : message.data, {
    id: `dead:${stream}:${consumer}:${sequence}`,
    headers: {
      ...foreignHeaders(message),
      [deadHeaders.reason]: reason.replace(/\s+/g, ' ').slice(0, maxReasonLength),
      [deadHeaders.subject]: message.subject,
      [deadHeaders.sequence]: String(sequence),
      [deadHeaders.attempt]: String(attempt),
      ...(isLarge && { [deadHeaders.bytes]: String(message.data.length) }),
    },
  })
}

/** Returns the message's own headers, without those that the server interprets. */
function foreignHeaders({ headers }: TerminatedMessage): Record<string, string> {
  const names = headers?.keys().filter(name => !name.startsWith('Nats-')) ?? []
  return Object.fromEntries(names.map(name => [name, headers?.get(name) ?? '']))
}
