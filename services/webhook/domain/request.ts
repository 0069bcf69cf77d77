/** The request that a receiver gets: a body, its signatures, and what it is about. */
import type { WebhookEvent } from '@tidemark/contracts/run-settings'
import { type Secrets, signatureHeaders } from './signature.ts'

type Message = {
  url: string
  runId: number
  event: WebhookEvent
  /** The same at every attempt. */
  webhookId: string
  body: string
  /** Of this attempt. */
  sentAt: Date
}

const userAgent = 'Tidemark/0.1 (webhook)'

/** `secretsHex` has the newest first, and at least that one. */
export function requestOf(
  { url, runId, event, webhookId, body, sentAt }: Message,
  secretsHex: readonly [string, ...string[]],
) {
  const timestamp = Math.floor(sentAt.getTime() / 1000)
  const secrets = secretsHex.map(hex => Buffer.from(hex, 'hex')) as unknown as Secrets
  return {
    url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': userAgent,
      'x-crawler-run-id': String(runId),
      'x-crawler-event': event,
      ...signatureHeaders(secrets, { id: webhookId, timestamp, body }),
    },
  }
}
