/**
 * Makes a screenshot small: the top of the page, scaled down. Only the rows that are shown are unpacked, because a
 * screenshot of a whole page can be very long.
 */
import { constants, crc32, deflateSync, inflateSync } from 'node:zlib'
import type { Image } from './answer.ts'

/** Pixels per token. Models count the tokens of an image by its area. */
const pixelsOfToken = 750
/** Share of an answer that an image may take. */
const imageShare = 0.4
const maxWidth = 640
/** Height of the shown part, relative to its width. */
const maxRatio = 1.5
const maxBytes = 400_000
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Channels by the colour type of the file: RGB and RGBA, as browsers write screenshots. */
const channelsOfType: Readonly<Record<number, number>> = { 2: 3, 6: 4 }

type Pixels = { width: number; height: number; channels: number; data: Buffer }

/** Returns the image within its share of the budget; null: it is not a screenshot, or does not become small enough. */
export function smallImage(base64: string, maxTokens: number): Image | null {
  const pixels = decoded(Buffer.from(base64, 'base64'))
  if (pixels === null) return null
  const area = maxTokens * imageShare * pixelsOfToken
  const ratio = pixels.height / pixels.width
  const width = Math.max(1, Math.min(pixels.width, maxWidth, Math.floor(Math.sqrt(area / ratio))))
  const small = scaled(pixels, width)
  const data = encoded(small)
  if (data.length > maxBytes) return null
  const tokens = Math.ceil((small.width * small.height) / pixelsOfToken)
  return { data: data.toString('base64'), mimeType: 'image/png', tokens }
}

/** Returns the top of the image; null: the file is damaged, or not of the expected kind. */
function decoded(file: Buffer): Pixels | null {
  if (!file.subarray(0, signature.length).equals(signature) || file.length < 33) return null
  const [width, all] = [file.readUInt32BE(16), file.readUInt32BE(20)]
  const channels = channelsOfType[file[25] ?? 0]
  const isPlain = file[24] === 8 && file[28] === 0
  if (channels === undefined || !isPlain || width === 0 || all === 0 || width > 10_000) return null
  const height = Math.max(1, Math.min(all, Math.floor(width * maxRatio)))
  const raw = unpacked(file, (width * channels + 1) * height)
  if (raw === null || raw.length < (width * channels + 1) * height) return null
  return { width, height, channels, data: unfiltered(raw, { width, height, channels }) }
}

/** Returns the first bytes of the image data, and unpacks little more than these. */
function unpacked(file: Buffer, bytes: number): Buffer | null {
  const parts: Buffer[] = []
  for (let at = signature.length; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at)
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(file.subarray(at + 8, at + 8 + length))
    at += length + 12
  }
  const packed = Buffer.concat(parts)
  // Deflate expands at most about 1,000 times, so a share of the file is tried first.
  for (const share of [0.1, 0.3, 1]) {
    const part = packed.subarray(0, Math.ceil(packed.length * share))
    const raw = inflated(part, share === 1 ? 200_000_000 : 100_000_000)
    if (raw !== null && raw.length >= bytes) return raw.subarray(0, bytes)
  }
  return null
}

function inflated(part: Buffer, maxOutputLength: number): Buffer | null {
  try {
    // The data ends early on purpose.
    return inflateSync(part, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength })
  } catch {
    return null
  }
}

/** Undoes the filters of the rows (PNG specification, 9.2). */
function unfiltered(raw: Buffer, { width, height, channels }: Omit<Pixels, 'data'>): Buffer {
  const bytes = width * channels
  const data = Buffer.alloc(bytes * height)
  for (let row = 0; row < height; row++) {
    const filter = raw[row * (bytes + 1)]
    const [from, to] = [row * (bytes + 1) + 1, row * bytes]
    for (let n = 0; n < bytes; n++) {
      const left = n < channels ? 0 : (data[to + n - channels] ?? 0)
      const up = row === 0 ? 0 : (data[to + n - bytes] ?? 0)
      const corner = row === 0 || n < channels ? 0 : (data[to + n - bytes - channels] ?? 0)
      data[to + n] = ((raw[from + n] ?? 0) + predicted(filter ?? 0, left, up, corner)) & 0xff
    }
  }
  return data
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  return filter === 4 ? nearest(left, up, corner) : 0
}

function nearest(left: number, up: number, corner: number): number {
  const sum = left + up - corner
  const [toLeft, toUp, toCorner] = [Math.abs(sum - left), Math.abs(sum - up), Math.abs(sum - corner)]
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}

/** Returns the image with this width. Each pixel is the mean of those that it covers. */
function scaled({ width, height, channels, data }: Pixels, to: number): Pixels {
  const newHeight = Math.max(1, Math.floor((height * to) / width))
  const small = Buffer.alloc(to * newHeight * 3)
  const bounds = (n: number, all: number, parts: number) => {
    const from = Math.floor((n * all) / parts)
    return [from, Math.max(from + 1, Math.floor(((n + 1) * all) / parts))] as const
  }
  for (let y = 0; y < newHeight; y++) {
    const [top, bottom] = bounds(y, height, newHeight)
    for (let x = 0; x < to; x++) {
      const [left, right] = bounds(x, width, to)
      for (let channel = 0; channel < 3; channel++) {
        let sum = 0
        for (let row = top; row < bottom; row++)
          for (let column = left; column < right; column++)
            sum += data[(row * width + column) * channels + channel] ?? 0
        small[(y * to + x) * 3 + channel] = Math.round(sum / ((bottom - top) * (right - left)))
      }
    }
  }
  return { width: to, height: newHeight, channels: 3, data: small }
}

function encoded({ width, height, data }: Pixels): Buffer {
  const bytes = width * 3
  const rows = Buffer.alloc((bytes + 1) * height)
  for (let row = 0; row < height; row++)
    data.copy(rows, row * (bytes + 1) + 1, row * bytes, (row + 1) * bytes)
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2], 8)
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}
