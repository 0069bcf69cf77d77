/**
 * Proves to a receiver that a message is ours: `X-Crawler-Signature`, and beside it the three headers of Standard
 * Webhooks 1.0 under the same secret. Both are HMAC-SHA256 over exactly the bytes of the body.
 */
import { createHmac } from 'node:crypto'

type Message = {
  /** The same at every attempt. */
  id: string
  /** Of this attempt, in seconds since 1970. */
  timestamp: number
  body: string
}

/** `secret` is what `secret_hex` spells. */
export function signatureHeaders(secret: Uint8Array, { id, timestamp, body }: Message) {
  const sign = (text: string) => createHmac('sha256', secret).update(text)
  return {
    'x-crawler-signature': `sha256=${sign(body).digest('hex')}`,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${sign(`${id}.${timestamp}.${body}`).digest('base64')}`,
  }
}
