/** Builds the request to a receiver: the body, its signatures, and headers with the run or the batch and the event. */
import { version } from '@tidemark/contracts/version'
import type { SentEvent } from './message.ts'
import { type Secrets, signatureHeaders } from './signature.ts'

type Message = {
  url: string
  runId: number
  event: SentEvent
  /** Does not change between attempts. */
  webhookId: string
  body: string
  /** Time of this attempt. */
  sentAt: Date
}

const userAgent = `Tidemark/${version} (webhook)`

/** Returns the request. `secretsHex` starts with the newest secret. */
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
      ...(runId < 0 ? { 'x-crawler-batch-id': String(-runId) } : { 'x-crawler-run-id': String(runId) }),
      'x-crawler-event': event,
      ...signatureHeaders(secrets, { id: webhookId, timestamp, body }),
    },
  }
}
