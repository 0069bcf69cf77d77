/**
 * Encodes a JSON header and binary blobs as one message, so that bodies are sent unchanged.
 *
 * Layout, all numbers u32 little endian: magic with version, length of the header, header, number of
 * blobs, length of each, the blobs. Encoding allocates once; decoded blobs are views of the message.
 */
import { decodeJson, Unreadable } from './codec.ts'

export type Frame = { header: unknown; blobs: Uint8Array[] }

/** "TMF" and the layout's version. */
const magic = 0x54_4d_46_01

/** Returns the bytes of one message; the header is written as JSON. */
export function encodeFrame(header: unknown, blobs: Uint8Array[]): Uint8Array {
  const json = JSON.stringify(header)
  const headerBytes = Buffer.byteLength(json)
  const blobBytes = blobs.reduce((sum, blob) => sum + blob.length, 0)
  const frame = Buffer.allocUnsafeSlow(12 + headerBytes + 4 * blobs.length + blobBytes)

  frame.writeUInt32LE(magic, 0)
  frame.writeUInt32LE(headerBytes, 4)
  frame.write(json, 8)
  let at = frame.writeUInt32LE(blobs.length, 8 + headerBytes)
  for (const blob of blobs) at = frame.writeUInt32LE(blob.length, at)
  for (const blob of blobs) {
    frame.set(blob, at)
    at += blob.length
  }
  return frame
}

/** Returns header and blobs. Throws `Unreadable` for data that is not a complete frame of `encodeFrame`. */
export function decodeFrame(data: Uint8Array): Frame {
  const frame = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  if (number(frame, 0) !== magic) throw new Unreadable('not a frame of this version')
  const headerEnd = 8 + number(frame, 4)
  const count = number(frame, headerEnd)
  let at = headerEnd + 4 + 4 * count
  if (at > frame.length) throw new Unreadable('the frame is truncated')

  const header = decodeJson(frame.subarray(8, headerEnd))
  const blobs: Uint8Array[] = []
  for (let n = 0; n < count; n++) {
    const end = at + number(frame, headerEnd + 4 + 4 * n)
    blobs.push(frame.subarray(at, end))
    at = end
  }
  if (at !== frame.length) throw new Unreadable('the frame is longer than its lengths say')
  return { header, blobs }
}

function number(frame: Buffer, at: number): number {
  if (at + 4 > frame.length) throw new Unreadable('the frame is truncated')
  return frame.readUInt32LE(at)
}
