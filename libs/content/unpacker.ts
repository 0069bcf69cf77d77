/**
 * Unpacks many short zstd frames with one decoder. Creating a decoder takes node four times as long as unpacking the
 * links of a page (27 µs against 6), and there is no public API to reuse one. This class therefore calls node's
 * internal function in versions where that was tested. In other versions each frame gets its own decoder. A version
 * with other arguments would crash the process, without a fallback.
 */
import { createZstdDecompress } from 'node:zlib'
import { decompress, sizeIn } from './zstd.ts'

/** Internals of node's decoders that their types do not have. */
type Decoder = ReturnType<typeof createZstdDecompress> & {
  _handle?: {
    writeSync?: (
      ...args: [
        flush: number,
        from: Buffer,
        at: number,
        length: number,
        to: Buffer,
        at: number,
        capacity: number,
      ]
    ) => void
  } | null
  /** Remaining output bytes, and remaining input bytes. */
  _writeState?: Uint32Array
}

/** Frames with more unpacked bytes get their own decoder. */
const maxSize = 512 * 1024

/** Tested major versions of node. */
const testedVersions = ['24']

export class Unpacker {
  #decoder: Decoder | null = null
  readonly #output = Buffer.allocUnsafeSlow(maxSize)
  readonly #isTested: boolean

  /** @param version Version of node. */
  constructor(version: string = process.versions.node) {
    this.#isTested = testedVersions.includes(version.split('.')[0] ?? '')
  }

  /** Returns the unpacked bytes, which are valid until the next call. Throws like `decompress`. */
  unpack(frame: Buffer, maxBytes: number): Buffer {
    const size = sizeIn(frame)
    if (!this.#isTested || size === null || size > Math.min(maxSize, maxBytes))
      return decompress(frame, maxBytes)
    return this.#unpacked(frame, size) ?? decompress(frame, maxBytes)
  }

  /** Returns null if the decoder cannot be reused. */
  #unpacked(frame: Buffer, size: number): Buffer | null {
    this.#decoder ??= newDecoder()
    const { _handle: handle, _writeState: state } = this.#decoder
    if (!handle?.writeSync || !(state instanceof Uint32Array)) return null
    handle.writeSync(0, frame, 0, frame.byteLength, this.#output, 0, maxSize)
    const [free, unread] = state
    if (free === maxSize - size && unread === 0 && !this.#decoder.destroyed)
      return this.#output.subarray(0, size)
    this.#decoder.destroy()
    this.#decoder = null
    return null
  }
}

function newDecoder(): Decoder {
  const decoder: Decoder = createZstdDecompress()
  decoder.on('error', () => {}) // `decompress` tries the frame again and throws its error
  return decoder
}
