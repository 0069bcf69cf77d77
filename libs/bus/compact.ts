/** Encodes responses as JSON: long ones are compressed, short ones are sent as they are. */
import zlib from 'node:zlib'
import { decodeJson, encodeJson } from './codec.ts'
import { refuse } from './refusal.ts'

/** Bytes from which responses are compressed. Below this size compression costs more than it saves. */
const packedAbove = 512 * 1024
/** A message may hold 8 MB, headers included. */
const maxBytes = 8 * 1024 ** 2 - 64 * 1024
/** Maximum bytes of a response before compression: several times the largest real one. */
const maxUnpacked = 64 * 1024 ** 2
/** The first byte of gzip, which JSON never begins with. */
const gzipMark = 0x1f

/**
 * Returns the encoded value. Throws a `Refusal` (`fetch_failed`, `too_large`) if it exceeds a message, or the size that
 * callers unpack.
 */
export const encodeCompact = (value: unknown): Uint8Array => compact(encodeJson(value))

/** Does the same as `encodeCompact` for a value that is JSON already. */
export function compact(json: Uint8Array): Uint8Array {
  // Above `maxUnpacked` the JSON itself exceeds a message.
  const isPacked = json.length >= packedAbove && json.length <= maxUnpacked
  const bytes = isPacked ? zlib.gzipSync(json, { level: 1 }) : json
  if (bytes.length <= maxBytes) return bytes
  const message = 'The content of the page exceeds the maximum size of a response.'
  throw refuse('fetch_failed', { message, reason: 'too_large' })
}

/** Returns the value of a response, unchecked. Throws for a response that exceeds the maximum size or is not JSON. */
export const decodeCompact = <Value>(bytes: Uint8Array): Value =>
  decodeJson(
    bytes[0] === gzipMark ? zlib.gunzipSync(bytes, { maxOutputLength: maxUnpacked }) : bytes,
  ) as Value
