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

type Deceased = { subject: string; data: Uint8Array; headers?: MsgHdrs | undefined }

type Grave = { stream: string; consumer: string; sequence: number; attempt: number; reason: string }

const maxReasonLength = 1_000
/** A few pages of many megabytes would evict all other messages. */
const maxBytes = 1024 ** 2

/** Stores the message under `dead.<stream>.<consumer>`, once however often it is called. */
export async function bury(bus: Bus, message: Deceased, grave: Grave): Promise<void> {
  const { stream, consumer, sequence, attempt, reason } = grave
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

/** The message's own headers, without those that the server interprets. */
function foreignHeaders({ headers }: Deceased): Record<string, string> {
  const names = headers?.keys().filter(name => !name.startsWith('Nats-')) ?? []
  return Object.fromEntries(names.map(name => [name, headers?.get(name) ?? '']))
}
