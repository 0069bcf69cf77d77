/** The beginning of a sitemap as text, in any compression. */
import { decodeHtml } from '@tidemark/html/decode'
import { decodeStart } from '../adapters/decode-start.ts'
import type { Fetched } from '../adapters/fetch-now.ts'

/** Maximum bytes of an uncompressed body, and of the output of decompression. */
export type Most = { plain: number; unpacked: number }

/** `sitemap.xml.gz`: the file itself is compressed, whatever its type and transfer encoding (RFC 1952, 2.3.1). */
export const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/** `isBroken`: the compressed data is truncated or corrupt. Throws `FetchError` if nothing can be decompressed. */
export async function startOfSitemap(
  { body, encodings, contentType }: Pick<Fetched, 'body' | 'encodings' | 'contentType'>,
  { plain, unpacked }: Most,
): Promise<{ text: string; isWhole: boolean; isBroken: boolean }> {
  const sent = await decodeStart(body, encodings, encodings.length === 0 ? plain : unpacked)
  const file = isGzip(sent.bytes) ? await decodeStart(sent.bytes, ['gzip'], unpacked) : sent
  const { html: text } = decodeHtml(file.bytes, contentType)
  const isCut = body.length >= plain
  return {
    text,
    isWhole: sent.isWhole && file.isWhole,
    isBroken: !isCut && (sent.isBroken || file.isBroken),
  }
}
