/**
 * Decodes gzip like browsers: consecutive members, ignoring all data after the last one. zlib's own decoder is tried
 * first and is sufficient for nearly all bodies. The slow path handles bodies with trailing data.
 */
import zlib from 'node:zlib'

const maxMembers = 1_000
const trailerBytes = 8
/** zlib writes the output in chunks and joins them. A body that fits into one needs a quarter less time. */
const chunkBytes = { min: 16 * 1024, max: 256 * 1024 }

/**
 * Returns the decoded body. Data that is not a member is ignored.
 * @throws Error for a member that is broken or cut short, or of zlib for output above the limit
 */
export function gunzipLeniently(body: Buffer, maxOutputLength: number): Buffer {
  try {
    return zlib.gunzipSync(body, { maxOutputLength, chunkSize: chunkSizeFor(body) })
  } catch (error) {
    const first = isTooLarge(error) ? null : headerEnd(body, 0)
    if (first === null) throw error
    return readMembers(body, first, maxOutputLength)
  }
}

/**
 * Returns the size of the output that the last four bytes state (RFC 1952, 2.3.1), within bounds. A wrong size only
 * costs time.
 */
function chunkSizeFor(body: Buffer): number {
  const stated = body.length < trailerBytes ? 0 : body.readUInt32LE(body.length - 4)
  return Math.min(Math.max(stated + 1, chunkBytes.min), chunkBytes.max)
}

/** Returns whether an error of zlib says that the output exceeds its limit. */
export const isTooLarge = (error: unknown): boolean =>
  (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'

function readMembers(body: Buffer, first: number, maxOutputLength: number): Buffer {
  const members: Buffer[] = []
  let left = maxOutputLength
  for (let data: number | null = first; data !== null; ) {
    if (members.length === maxMembers) throw new Error(`more than ${maxMembers} gzip members`)
    const { content, end } = readMember(body, data, Math.max(left, 1))
    members.push(content)
    left -= content.length
    data = headerEnd(body, end)
  }
  return Buffer.concat(members)
}

function readMember(body: Buffer, data: number, maxOutputLength: number) {
  const { buffer: content, engine } = inflate(body.subarray(data), maxOutputLength)
  const end = data + engine.bytesWritten + trailerBytes
  const whole = end <= body.length && body.readUInt32LE(end - trailerBytes) === zlib.crc32(content)
  if (!whole) throw new Error('a gzip member without its checksum')
  return { content, end }
}

type Inflated = { buffer: Buffer; engine: { bytesWritten: number } }

// With `info`, Node also returns how much of the input was used. Its types lack it.
const inflate = (data: Buffer, maxOutputLength: number) =>
  zlib.inflateRawSync(data, { maxOutputLength, info: true }) as unknown as Inflated

/** Returns the start of a member's data (RFC 1952, 2.3); null: no member starts here. */
function headerEnd(body: Buffer, start: number): number | null {
  if (body.length < start + 10 || body.readUInt16BE(start) !== 0x1f8b || body[start + 2] !== 8) return null
  const flags = body[start + 3] ?? 0
  let at = start + 10
  if (flags & 4) at += 2 + (body.length >= at + 2 ? body.readUInt16LE(at) : 0)
  if (flags & 8) at = afterZero(body, at)
  if (flags & 16) at = afterZero(body, at)
  if (flags & 2) at += 2
  return at < body.length ? at : null
}

function afterZero(body: Buffer, from: number): number {
  const zero = body.indexOf(0, from)
  return zero === -1 ? body.length : zero + 1
}
