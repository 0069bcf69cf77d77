/**
 * Verifies the signatures of payment events: `t=<seconds>,v1=<hex>[,v1=<hex>…]`, each v1 an HMAC-SHA256 of `<t>.<body>`
 * with the shared secret. There are several v1 while a secret is being changed.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** Maximum distance of an event's time from now. Other events may be replays. */
export const toleranceSeconds = 300

/** Returns whether one of the signatures is valid for exactly these bytes and this time (seconds since 1970). */
export function isSigned(header: string, body: Uint8Array, secret: string, now: number): boolean {
  const parts = header.split(',').map(part => part.trim().split('=', 2) as [string, string?])
  const [, time = ''] = parts.find(([name]) => name === 't') ?? []
  if (!/^\d{1,12}$/.test(time) || Math.abs(now - Number(time)) > toleranceSeconds) return false
  const expected = Buffer.from(digest(time, body, secret))
  // Compares all signatures, each in constant time, so that the duration reveals nothing.
  return parts
    .filter(([name]) => name === 'v1')
    .map(([, actual = '']) => isSame(Buffer.from(actual), expected))
    .includes(true)
}

/** Returns the header of an event of the mock, at this time in seconds since 1970. */
export const signatureOf = (body: Uint8Array, secret: string, now: number): string =>
  `t=${now},v1=${digest(String(now), body, secret)}`

const digest = (time: string, body: Uint8Array, secret: string): string =>
  createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')

const isSame = (actual: Buffer, expected: Buffer): boolean =>
  actual.length === expected.length && timingSafeEqual(actual, expected)
