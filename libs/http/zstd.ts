/**
 * Decodes Zstandard (RFC 8878, RFC 9659): one or more consecutive frames. Node decodes only the first one silently,
 * so the frames are decoded one by one here.
 */
import zlib from 'node:zlib'

const maxFrames = 100
const magic = 0xfd2fb528

// RFC 9659: no window above 8 MB. Without the limit a frame can claim 128 MB of memory before its first byte.
const params = { [zlib.constants.ZSTD_d_windowLogMax]: 23 }

type Decoded = { buffer: Buffer; engine: { bytesWritten: number } }

/** Returns the decoded body. Ignores data after the last frame. @throws zlib's errors, or Error above `maxFrames` */
export function unzstd(body: Buffer, maxOutputLength: number): Buffer {
  const first = decodeFrame(body, maxOutputLength)
  const frames = [first.buffer]
  let [at, left] = [first.engine.bytesWritten, maxOutputLength - first.buffer.length]
  while (startsFrame(body, at)) {
    if (frames.length === maxFrames) throw new Error(`more than ${maxFrames} zstd frames`)
    const { buffer, engine } = decodeFrame(body.subarray(at), Math.max(left, 1))
    frames.push(buffer)
    left -= buffer.length
    at += engine.bytesWritten
  }
  return frames.length === 1 ? first.buffer : Buffer.concat(frames)
}

const startsFrame = (body: Buffer, at: number) => at + 4 < body.length && body.readUInt32LE(at) === magic

// With `info`, Node also returns how much of the input was used. Its types lack it.
const decodeFrame = (body: Buffer, maxOutputLength: number) =>
  zlib.zstdDecompressSync(body, { maxOutputLength, params, info: true }) as unknown as Decoded
