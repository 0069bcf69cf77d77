/**
 * Unpacks many short zstd frames one after the other with one decoder. Making one takes node four times as long as
 * unpacking the links of a page (27 µs against 6), and it has no public way to use one again: so what node calls itself
 * is called here, in versions in which that was tried, and else each frame gets a decoder of its own. A version that
 * wants other arguments would end the process, and leave nothing to fall back from.
 */
import { createZstdDecompress } from 'node:zlib'
import { decompress, sizeIn } from './zstd.ts'

/** Members of node's decoders that their types lack. */
type Decoder = ReturnType<typeof createZstdDecompress> & {
  _handle?: {
    writeSync?: (
      ...args: [flush: number, from: Buffer, at: number, length: number, to: Buffer, at: number, room: number]
    ) => void
  } | null
  /** Bytes that are still free, and that are still to be read. */
  _writeState?: Uint32Array
}

/** A larger result gets a decoder of its own. */
const most = 512 * 1024

/** Major versions of node. */
const tried = ['24']

export class Unpacker {
  #decoder: Decoder | null = null
  readonly #room = Buffer.allocUnsafeSlow(most)
  readonly #isTried: boolean

  /** @param version of node */
  constructor(version: string = process.versions.node) {
    this.#isTried = tried.includes(version.split('.')[0] ?? '')
  }

  /** Good until the next one. Throws as `decompress`. */
  unpack(frame: Buffer, maxBytes: number): Buffer {
    const size = sizeIn(frame)
    if (!this.#isTried || size === null || size > Math.min(most, maxBytes)) return decompress(frame, maxBytes)
    return this.#unpacked(frame, size) ?? decompress(frame, maxBytes)
  }

  /** Null where that cannot be done. */
  #unpacked(frame: Buffer, size: number): Buffer | null {
    this.#decoder ??= newDecoder()
    const { _handle: handle, _writeState: state } = this.#decoder
    if (!handle?.writeSync || !(state instanceof Uint32Array)) return null
    handle.writeSync(0, frame, 0, frame.byteLength, this.#room, 0, most)
    const [free, unread] = state
    if (free === most - size && unread === 0 && !this.#decoder.destroyed) return this.#room.subarray(0, size)
    this.#decoder.destroy()
    this.#decoder = null
    return null
  }
}

function newDecoder(): Decoder {
  const decoder: Decoder = createZstdDecompress()
  decoder.on('error', () => {}) // the frame is decoded again, and its fault is reported
  return decoder
}
