/**
 * Decodes Zstandard (RFC 8878, RFC 9659): one or more consecutive frames. Node decodes only the first one silently,
 * so the frames are decoded one by one here. Skippable frames (RFC 8878, 3.1.2) have no content.
 */
import zlib from 'node:zlib'

const maxFrames = 100
const magic = 0xfd2fb528
/** The first of the sixteen magic numbers of skippable frames. */
const skippableMagic = 0x184d2a50
/** Bytes of the header of a skippable frame: the magic number and the size. */
const skippableHeader = 8

// RFC 9659: no window above 8 MB. Without the limit a frame can claim 128 MB of memory before its first byte.
const params = { [zlib.constants.ZSTD_d_windowLogMax]: 23 }

type Decoded = { buffer: Buffer; engine: { bytesWritten: number } }

/** Returns the decoded body. Ignores data after the last frame. @throws zlib's errors, or Error above `maxFrames` */
export function unzstd(body: Buffer, maxOutputLength: number): Buffer {
  const frames: Buffer[] = []
  let [at, left] = [pastSkippable(body), maxOutputLength]
  if (at > 0 && at === body.length) return Buffer.alloc(0)
  do {
    if (frames.length === maxFrames) throw new Error(`more than ${maxFrames} zstd frames`)
    const { buffer, engine } = decodeFrame(body.subarray(at), Math.max(left, 1))
    frames.push(buffer)
    left -= buffer.length
    at = pastSkippable(body, at + engine.bytesWritten)
  } while (startsFrame(body, at))
  return frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames)
}

/**
 * Returns the position after the skippable frames that begin at `start`.
 * @throws Error if such a frame is cut short
 */
export function pastSkippable(body: Buffer, start = 0): number {
  let at = start
  while (at + skippableHeader <= body.length && isSkippable(body.readUInt32LE(at))) {
    at += skippableHeader + body.readUInt32LE(at + 4)
    if (at > body.length) throw new Error('a skippable zstd frame is cut short')
  }
  return at
}

const isSkippable = (number: number) => (number & ~15) === skippableMagic

const startsFrame = (body: Buffer, at: number) => at + 4 < body.length && body.readUInt32LE(at) === magic

// With `info`, Node also returns how much of the input was used. Its types lack it.
const decodeFrame = (body: Buffer, maxOutputLength: number) =>
  zlib.zstdDecompressSync(body, { maxOutputLength, params, info: true }) as unknown as Decoded
