/**
 * The stored form of a page's body. The SHA-256 of the decoded bytes identifies it. A body keeps the compression of
 * the origin. Uncompressed bodies are compressed here if that saves space.
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

/** Returns the content codings of a body from the column that stores them, null without a body. */
export const encodingsIn = (column: string | null): string[] => (column ? column.split(',') : [])

/** Minimum bytes of a body that is compressed. For smaller ones, compression saves less than the row itself takes. */
const minCompressedSize = 1024

/** Returns the stored form of a body without content codings. `hash` is its SHA-256. */
export function plainBody(hash: Buffer, decoded: Buffer): Body {
  const size = decoded.byteLength
  const data = size < minCompressedSize ? decoded : compress(decoded)
  return data.byteLength < size
    ? { hash, encodings: ['zstd'], size, data }
    : { hash, encodings: [], size, data: decoded }
}
