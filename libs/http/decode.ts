/**
 * Decodes Content-Encoding, and never produces more bytes than allowed: a few kilobytes can expand to gigabytes, so
 * the output is counted. It is as lenient as browsers, except where content would be lost.
 */
import zlib from 'node:zlib'
import { FetchError } from './fetch-error.ts'
import { gunzipLeniently, isTooLarge } from './gunzip.ts'
import { unzstd } from './zstd.ts'

/** The encodings that `decodeBody` supports, as a value of Accept-Encoding. */
export const acceptEncoding = 'gzip, deflate, br, zstd'

/** Maximum number of encodings of a body. */
export const maxEncodings = 2

type Decoder = (body: Buffer, maxBytes: number) => Buffer

const decoders = new Map<string, Decoder>([
  ['gzip', gunzipLeniently],
  ['x-gzip', gunzipLeniently],
  ['deflate', inflateEither],
  ['br', (body, maxOutputLength) => zlib.brotliDecompressSync(body, { maxOutputLength })],
  ['zstd', unzstd],
])

/**
 * Returns the decoded body.
 * @param encodings in the order in which they were applied; unknown ones are ignored
 * @param maxBytes maximum bytes of the result and of each intermediate step
 * @throws FetchError `too_large`; `protocol` (final) if the body does not have its encoding, is cut short, or was
 * encoded more than twice
 */
export function decodeBody(body: Buffer, encodings: string[], maxBytes: number): Buffer {
  const steps = encodings.map(name => decoders.get(name.toLowerCase())).filter(step => step !== undefined)
  if (steps.length > maxEncodings) {
    throw new FetchError('protocol', { because: `${steps.length} encodings`, transient: false })
  }
  const decoded =
    body.length === 0 ? body : steps.reduceRight((bytes, step) => attempt(step, bytes, maxBytes), body)
  if (decoded.length > maxBytes) throw new FetchError('too_large', { because: `more than ${maxBytes} bytes` })
  return decoded
}

function attempt(decode: Decoder, body: Buffer, maxBytes: number): Buffer {
  try {
    return decode(body, maxBytes)
  } catch (cause) {
    if (isTooLarge(cause))
      throw new FetchError('too_large', { because: `more than ${maxBytes} bytes`, cause })
    throw new FetchError('protocol', { because: 'the encoding is broken', cause, transient: false })
  }
}

/** Decodes `deflate`, which means zlib's format (RFC 9110, 8.4.1.2), although many servers send raw deflate. */
function inflateEither(body: Buffer, maxOutputLength: number): Buffer {
  if (!looksLikeZlib(body)) return zlib.inflateRawSync(body, { maxOutputLength })
  try {
    return zlib.inflateSync(body, { maxOutputLength })
  } catch (error) {
    if (isTooLarge(error)) throw error
    return zlib.inflateRawSync(body, { maxOutputLength })
  }
}

// RFC 1950, 2.2: method 8, and the first two bytes divisible by 31.
const looksLikeZlib = (body: Buffer) =>
  body.length >= 2 && ((body[0] ?? 0) & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0
