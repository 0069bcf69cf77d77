/** What a consumer gave up on is kept in the stream DEAD, as it was, with what is needed to send it again. */
import type { Msg } from '@nats-io/transport-node'
import type { Bus } from './connection.ts'
import { publish } from './publish.ts'

export const deadHeaders = {
  reason: 'Dead-Reason',
  subject: 'Dead-Subject',
  sequence: 'Dead-Sequence',
  attempt: 'Dead-Attempt',
} as const

type Grave = { stream: string; consumer: string; sequence: number; attempt: number; reason: string }

const longestReason = 1_000

/** Stores the message under `dead.<stream>.<consumer>`, once however often it is called. */
export async function bury(bus: Bus, message: Msg, grave: Grave): Promise<void> {
  const { stream, consumer, sequence, attempt, reason } = grave
  await publish(bus, `dead.${stream}.${consumer}`, message.data, {
    id: `dead:${stream}:${consumer}:${sequence}`,
    headers: {
      ...foreignHeaders(message),
      [deadHeaders.reason]: reason.replace(/\s+/g, ' ').slice(0, longestReason),
      [deadHeaders.subject]: message.subject,
      [deadHeaders.sequence]: String(sequence),
      [deadHeaders.attempt]: String(attempt),
    },
  })
}

/** The message's own headers without those that the server acts on. */
function foreignHeaders({ headers }: Msg): Record<string, string> {
  const names = headers?.keys().filter(name => !name.startsWith('Nats-')) ?? []
  return Object.fromEntries(names.map(name => [name, headers?.get(name) ?? '']))
}
