/** JSON for answers of any length: what is long travels packed, what is short as it is. */
import zlib from 'node:zlib'
import { problems } from '@tidemark/contracts/problems'
import { decodeJson, encodeJson } from './codec.ts'
import { Refusal } from './refusal.ts'

/** Below this packing costs more than it saves. */
const packedAbove = 512 * 1024
/** A message may hold 8 MB, headers included. */
const most = 8 * 1024 ** 2 - 64 * 1024
/** What a packed answer may become: several times what the largest one is. */
const mostUnpacked = 64 * 1024 ** 2
/** How gzip begins; JSON never does. */
const gzipMark = 0x1f

/** Throws a `Refusal` (502 `too_large`) for what no message can hold. */
export const encodeCompact = (value: unknown): Uint8Array => compact(encodeJson(value))

/** The same for what is JSON already. */
export function compact(json: Uint8Array): Uint8Array {
  const bytes = json.length < packedAbove ? json : zlib.gzipSync(json, { level: 1 })
  if (bytes.length <= most) return bytes
  const message = 'What the page holds is too much for one answer.'
  throw new Refusal({
    status: problems.fetch_failed.status,
    code: 'fetch_failed',
    message,
    reason: 'too_large',
  })
}

/** Throws for one that would become too large. */
export const decodeCompact = <Value>(bytes: Uint8Array): Value =>
  decodeJson(
    bytes[0] === gzipMark ? zlib.gunzipSync(bytes, { maxOutputLength: mostUnpacked }) : bytes,
  ) as Value
