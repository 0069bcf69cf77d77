/**
 * A page's body as the store keeps it: named by the SHA-256 of what it decodes to, in the compression that
 * the origin chose. What came without compression is compressed here, if there is anything to gain.
 */
import { compress } from './zstd.ts'

export type Body = {
  /** SHA-256 of the decoded bytes. */
  hash: Buffer
  /** Content codings of `data` in the order applied, as in `Content-Encoding`. */
  encodings: string[]
  /** Length of the decoded bytes. */
  size: number
  data: Buffer
}

/** Below this a compressed body saves less than its row costs. */
const worthCompressing = 1024

/** A body that came without any coding; `hash` is its SHA-256. */
export function plainBody(hash: Buffer, decoded: Buffer): Body {
  const size = decoded.byteLength
  const data = size < worthCompressing ? decoded : compress(decoded)
  return data.byteLength < size
    ? { hash, encodings: ['zstd'], size, data }
    : { hash, encodings: [], size, data: decoded }
}
