/**
 * How a payment provider's events are told from anybody else's: `t=<seconds>,v1=<hex>[,v1=<hex>…]`, each v1 an
 * HMAC-SHA256 of `<t>.<body>` under the shared secret. Several v1 are there while a secret is being changed.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** An event that is older, or younger than now by more, may be somebody's repetition. */
export const toleranceSeconds = 300

/** Whether one of the signatures is of exactly these bytes, and of now (seconds since the epoch). */
export function isSigned(header: string, body: Uint8Array, secret: string, now: number): boolean {
  const parts = header.split(',').map(part => part.trim().split('=', 2) as [string, string?])
  const [, time = ''] = parts.find(([name]) => name === 't') ?? []
  if (!/^\d{1,12}$/.test(time) || Math.abs(now - Number(time)) > toleranceSeconds) return false
  const expected = Buffer.from(digest(time, body, secret))
  // Each is compared, and each in the same time: how far one was right tells nobody anything.
  return parts
    .filter(([name]) => name === 'v1')
    .map(([, given = '']) => isSame(Buffer.from(given), expected))
    .includes(true)
}

/** The header of an event of ours, at this time in seconds. */
export const signatureOf = (body: Uint8Array, secret: string, now: number): string =>
  `t=${now},v1=${digest(String(now), body, secret)}`

const digest = (time: string, body: Uint8Array, secret: string): string =>
  createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')

const isSame = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected)
