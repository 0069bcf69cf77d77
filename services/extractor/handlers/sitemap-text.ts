/** The beginning of a sitemap as text, packed however it may be. */
import { decodeHtml } from '@tidemark/html/decode'
import { decodeStart } from '../adapters/decode-start.ts'
import type { Fetched } from '../adapters/fetch-now.ts'

/** In bytes: of one that came as it is, and of what a packed one is unpacked into. */
export type Most = { plain: number; unpacked: number }

/** A file `sitemap.xml.gz`: the file itself is packed, whatever its type and however it travelled (RFC 1952, 2.3.1). */
export const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/** `isBroken`: what was packed ends too early, or is wrong from some place on. Throws `FetchError` where nothing of it can be unpacked. */
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
