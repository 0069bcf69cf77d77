/** The beginning of a sitemap as text, in any compression. */
import { decodeHtml } from '@tidemark/html/decode'
import { decodeStart } from '../adapters/decode-start.ts'
import type { Fetched } from '../adapters/fetch-now.ts'

/**
 * Returns whether the file itself is compressed, such as `sitemap.xml.gz`, whatever its type and transfer encoding (RFC
 * 1952, 2.3.1).
 */
export const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

type Sent = Pick<Fetched, 'body' | 'encodings' | 'contentType' | 'isCut'>

/**
 * Returns the beginning of a sitemap. `isBroken`: the compressed data is truncated or corrupt. Throws `FetchError` if
 * nothing can be decompressed.
 * @param maxBytes maximum bytes of the body, and of the output of decompression
 */
export async function startOfSitemap(
  { body, encodings, contentType, isCut }: Sent,
  maxBytes: number,
): Promise<{ text: string; isWhole: boolean; isBroken: boolean }> {
  const sent = await decodeStart(body, encodings, maxBytes)
  const file = isGzip(sent.bytes) ? await decodeStart(sent.bytes, ['gzip'], maxBytes) : sent
  const { html: text } = decodeHtml(file.bytes, contentType)
  // A body that the fetcher has cut may be compressed in transit. It may then reach the maximum size only after it is
  // decompressed.
  const isBegun = isCut === true || [body, sent.bytes, file.bytes].some(({ length }) => length >= maxBytes)
  return {
    text,
    isWhole: !isBegun && sent.isWhole && file.isWhole,
    isBroken: !isBegun && (sent.isBroken || file.isBroken),
  }
}
