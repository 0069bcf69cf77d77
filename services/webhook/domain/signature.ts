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

/** The newest first; each is what a `secret_hex` spells. */
export type Secrets = readonly [newest: Uint8Array, ...older: Uint8Array[]]

/**
 * `webhook-signature` has one signature for each secret, so that receivers may change over in their own time.
 * `X-Crawler-Signature` has no room for a second one: whoever compares it as a whole must find the newest.
 */
export function signatureHeaders(secrets: Secrets, { id, timestamp, body }: Message) {
  const signed = `${id}.${timestamp}.${body}`
  return {
    'x-crawler-signature': `sha256=${hmac(secrets[0], body).digest('hex')}`,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map(secret => `v1,${hmac(secret, signed).digest('base64')}`).join(' '),
  }
}

const hmac = (secret: Uint8Array, text: string) => createHmac('sha256', secret).update(text)
