/**
 * A stored body of a page: named by the SHA-256 of its decoded bytes, in the compression of the origin. A body without
 * compression is compressed here if that saves bytes.
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
