/**
 * Verifies webhooks with WebCrypto, by both schemes of the service. `webhook-signature` (Standard Webhooks) decides, because
 * it covers the time. `X-Crawler-Signature` covers the body alone: an attacker who removed the other headers could send a
 * captured request at any time, so it counts only with `withoutTime`.
 */
import { TidemarkError, WebhookVerificationError } from './errors.ts'
import type {
  BatchDoneEvent,
  CrawlDiffDetectedEvent,
  CrawlDoneEvent,
  CrawlFailedEvent,
  CrawlStartedEvent,
  PageFetchedEvent,
} from './schema.ts'
import { webCrypto } from './web-crypto.ts'

export type WebhookEvent =
  | CrawlDoneEvent
  | CrawlDiffDetectedEvent
  | CrawlStartedEvent
  | PageFetchedEvent
  | CrawlFailedEvent
  | BatchDoneEvent

export type VerifyOptions = {
  /** Largest difference in seconds between the signed time and now. Default 300. */
  tolerance?: number
  /** Seconds since 1970. Default: the current time. */
  now?: number
  /** Accepts `X-Crawler-Signature` alone, which has no time: compare `delivered_at` yourself. Default false. */
  withoutTime?: boolean
}

type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>
type Bytes = Uint8Array<ArrayBuffer>

const encode = (text: string): Bytes => new TextEncoder().encode(text)

/**
 * Returns the event of a webhook. Throws a `WebhookVerificationError` if it has no usable signature of one of the
 * secrets, or if its time is too far from now, and another `TidemarkError` if a secret is invalid.
 *
 * @param body the exact bytes or text of the request, not a parsed object
 * @param secrets `secret_hex` of `GET /v1/webhook/secret`, or the same as `whsec_…`. Several while a secret is rotated
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: HeaderSource,
  secrets: string | readonly string[],
  { tolerance = 300, now = Date.now() / 1000, withoutTime = false }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const header = readerOf(headers)
  const bytes = typeof body === 'string' ? encode(body) : Uint8Array.from(body)
  if (!header('webhook-signature') && !withoutTime)
    throw new WebhookVerificationError('The request has no webhook-signature.')
  const [message, signatures] = header('webhook-signature')
    ? standard(header, bytes, tolerance, now)
    : ([bytes, [bytesOfHex(/^sha256=([0-9a-f]{64})$/i.exec(header('x-crawler-signature'))?.[1])]] as const)
  const { subtle } = await webCrypto()
  for (const secret of [secrets].flat()) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const key = await subtle.importKey('raw', bytesOfSecret(secret), algorithm, false, ['verify'])
    for (const signature of signatures)
      if (signature && (await subtle.verify('HMAC', key, signature, message)))
        return JSON.parse(new TextDecoder().decode(bytes))
  }
  throw new WebhookVerificationError('The webhook is not signed with a secret of this receiver.')
}

/** Returns the signed bytes and the signatures of Standard Webhooks. */
function standard(header: (name: string) => string, body: Bytes, tolerance: number, now: number) {
  const timestamp = header('webhook-timestamp')
  const age = Math.abs(Math.floor(now) - Number(timestamp))
  if (!/^\d+$/.test(timestamp) || age > tolerance)
    throw new WebhookVerificationError(
      `The webhook-timestamp '${timestamp}' is not within ${tolerance} seconds of now.`,
    )
  const start = encode(`${header('webhook-id')}.${timestamp}.`)
  const message = new Uint8Array(start.length + body.length)
  message.set(start)
  message.set(body, start.length)
  const parts = header('webhook-signature').split(' ')
  return [message, parts.map(part => (part.startsWith('v1,') ? bytesOfBase64(part.slice(3)) : null))] as const
}

function readerOf(headers: HeaderSource): (name: string) => string {
  if (typeof headers.get === 'function') return name => (headers as Headers).get(name) ?? ''
  const named = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value ?? '')]),
  )
  return name => named.get(name) ?? ''
}

function bytesOfSecret(secret: string): Bytes {
  const bytes = secret.startsWith('whsec_') ? bytesOfBase64(secret.slice(6)) : bytesOfHex(secret)
  if (bytes === null || bytes.length === 0)
    throw new TidemarkError('A secret is neither hex nor whsec_ with base64.')
  return bytes
}

function bytesOfHex(text = ''): Bytes | null {
  if (!/^(?:[0-9a-f]{2})+$/i.test(text)) return null
  return Uint8Array.from(text.match(/../g) ?? [], pair => Number.parseInt(pair, 16))
}

function bytesOfBase64(text: string): Bytes | null {
  const digits = text.replace(/={1,2}$/, '')
  // `atob` throws at a length that no bytes have.
  if (!/^[a-z\d+/]+$/i.test(digits) || digits.length % 4 === 1) return null
  return Uint8Array.from(atob(digits), character => character.charCodeAt(0))
}
