/**
 * Decodes the beginning of an encoded body. It also accepts a body that was truncated in transit, which decoders
 * reject.
 */
import { type Duplex, PassThrough } from 'node:stream'
import zlib from 'node:zlib'
import { decodeBody } from '@tidemark/http/decode'
import { FetchError } from '@tidemark/http/fetch-error'

const decoders: Record<string, () => Duplex> = {
  gzip: zlib.createGunzip,
  'x-gzip': zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  zstd: zlib.createZstdDecompress,
}

/**
 * @param encodings in the order in which they were applied
 * @param most maximum number of decoded bytes
 * @returns `isWhole` is false if the body ended before its encoding did, or exceeds `most`; `isBroken` is true if its
 * encoding is invalid or truncated
 * @throws FetchError (`protocol`) when nothing can be decoded
 */
export async function decodeStart(
  body: Buffer,
  encodings: string[],
  most: number,
): Promise<{ bytes: Buffer; isWhole: boolean; isBroken: boolean }> {
  const steps = encodings.flatMap(name => decoders[name.toLowerCase()] ?? [])
  if (steps.length === 0)
    return { bytes: body.subarray(0, most), isWhole: body.length < most, isBroken: false }
  try {
    return { bytes: decodeBody(body, encodings, most), isWhole: true, isBroken: false }
  } catch (thrown) {
    const [only, ...more] = steps
    if (only === undefined || more.length > 0) throw thrown
    const bytes = await begin(body, only(), most)
    if (bytes.length === 0) throw FetchError.from(thrown)
    return { bytes, isWhole: false, isBroken: FetchError.from(thrown).code !== 'too_large' }
  }
}

/** Returns the output up to the failure of the decoder or the limit. */
async function begin(body: Buffer, decoder: Duplex, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  const out = decoder.pipe(new PassThrough())
  decoder.on('error', () => out.end())
  decoder.end(body)
  for await (const chunk of out) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= most) break
  }
  decoder.destroy()
  return Buffer.concat(chunks).subarray(0, most)
}
