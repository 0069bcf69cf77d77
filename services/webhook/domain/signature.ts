/**
 * Signs webhooks with `X-Crawler-Signature` and the three headers of Standard Webhooks 1.0, both with the same secrets.
 * `X-Crawler-Signature` is HMAC-SHA256 over the exact bytes of the body. `webhook-signature` is HMAC-SHA256 over
 * id, timestamp and body.
 */
import { createHmac } from 'node:crypto'

type Message = {
  /** Does not change between attempts. */
  id: string
  /** Time of this attempt in seconds since 1970. */
  timestamp: number
  body: string
}

/** The newest first. Each has the decoded bytes of a `secret_hex`. */
export type Secrets = readonly [newest: Uint8Array, ...older: Uint8Array[]]

/**
 * Returns the headers. `webhook-signature` has one signature per secret, so that receivers can rotate at any time.
 * `X-Crawler-Signature` has only the newest one, because receivers compare the whole header.
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
