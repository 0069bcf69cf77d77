/** JSON for responses of any length: long ones are compressed, short ones are sent as they are. */
import zlib from 'node:zlib'
import { problems } from '@tidemark/contracts/problems'
import { decodeJson, encodeJson } from './codec.ts'
import { Refusal } from './refusal.ts'

/** Below this size compression costs more than it saves. */
const packedAbove = 512 * 1024
/** A message may hold 8 MB, headers included. */
const maxBytes = 8 * 1024 ** 2 - 64 * 1024
/** Maximum size of a decompressed response: several times the largest real one. */
const maxUnpacked = 64 * 1024 ** 2
/** The first byte of gzip, which JSON never begins with. */
const gzipMark = 0x1f

/** Throws a `Refusal` (502 `too_large`) for values that no message can hold. */
export const encodeCompact = (value: unknown): Uint8Array => compact(encodeJson(value))

/** The same for encoded JSON. */
export function compact(json: Uint8Array): Uint8Array {
  const bytes = json.length < packedAbove ? json : zlib.gzipSync(json, { level: 1 })
  if (bytes.length <= maxBytes) return bytes
  const message = 'The content of the page exceeds the maximum size of a response.'
  throw new Refusal({
    status: problems.fetch_failed.status,
    code: 'fetch_failed',
    message,
    reason: 'too_large',
  })
}

/** Throws for a response that exceeds the maximum size. */
export const decodeCompact = <Value>(bytes: Uint8Array): Value =>
  decodeJson(
    bytes[0] === gzipMark ? zlib.gunzipSync(bytes, { maxOutputLength: maxUnpacked }) : bytes,
  ) as Value
