/**
 * Decodes the beginning of an encoded body. It also accepts a body that was truncated in transit, which decoders
 * reject.
 */
import { type Duplex, PassThrough } from 'node:stream'
import zlib from 'node:zlib'
import { decodeBody, maxEncodings } from '@tidemark/http/decode'
import { FetchError } from '@tidemark/http/fetch-error'
import { pastSkippable } from '@tidemark/http/zstd'

const decoders: Record<string, () => Duplex> = {
  gzip: zlib.createGunzip,
  'x-gzip': zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  zstd: zlib.createZstdDecompress,
}

/**
 * @param encodings in the order in which they were applied
 * @param maxBytes maximum number of decoded bytes
 * @returns `isWhole` is false if the body ended before its encoding did, or exceeds `maxBytes`; `isBroken` is true if
 * its encoding is invalid or truncated
 * @throws FetchError (`protocol`) when nothing can be decoded
 */
export async function decodeStart(
  body: Buffer,
  encodings: string[],
  maxBytes: number,
): Promise<{ bytes: Buffer; isWhole: boolean; isBroken: boolean }> {
  const steps = encodings.map(name => name.toLowerCase()).filter(name => Object.hasOwn(decoders, name))
  if (steps.length === 0)
    return { bytes: body.subarray(0, maxBytes), isWhole: body.length < maxBytes, isBroken: false }
  try {
    return { bytes: decodeBody(body, encodings, maxBytes), isWhole: true, isBroken: false }
  } catch (thrown) {
    if (steps.length > maxEncodings) throw thrown
    const sent = steps.at(-1) === 'zstd' ? withoutSkippable(body) : body
    const first = await begin(sent, stagesOf(steps), maxBytes)
    // Many servers send raw deflate, which does not begin like zlib's format.
    const bytes =
      first.length === 0 ? await begin(sent, stagesOf(steps, zlib.createInflateRaw), maxBytes) : first
    if (bytes.length === 0) throw FetchError.from(thrown)
    return { bytes, isWhole: false, isBroken: FetchError.from(thrown).code !== 'too_large' }
  }
}

/** Returns the body without the skippable frames at its start. Node's decoder would end after such a frame. */
function withoutSkippable(body: Buffer): Buffer {
  try {
    return body.subarray(pastSkippable(body))
  } catch (thrown) {
    throw new FetchError('protocol', { because: 'the encoding is broken', cause: thrown, transient: false })
  }
}

/** Returns the decoders in the order in which they are applied. */
const stagesOf = (steps: readonly string[], inflate: () => Duplex = zlib.createInflate): Duplex[] =>
  steps.toReversed().map(name => (name === 'deflate' ? inflate : (decoders[name] ?? inflate))())

/** Returns the output up to the failure of a decoder or the limit. */
async function begin(body: Buffer, stages: readonly Duplex[], maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  const source = new PassThrough()
  let out: Duplex = source
  for (const stage of [...stages, new PassThrough()]) {
    // The output before a failure is passed on.
    out.on('error', () => stage.end())
    out = out.pipe(stage)
  }
  source.end(body)
  for await (const chunk of out) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= maxBytes) break
  }
  for (const stage of stages) stage.destroy()
  return Buffer.concat(chunks).subarray(0, maxBytes)
}
