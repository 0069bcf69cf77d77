/**
 * Collects a body into one buffer of its own. Small chunks are copied together at once, so a body of a million chunks
 * of one byte does not cost a million objects. Large chunks are copied at the end, so a body that exceeds its limit
 * is never copied.
 */
export class Gathered {
  readonly #max: number
  #length = 0
  #blocks: Uint8Array[] = []
  #open: Buffer
  #used = 0

  /**
   * @param max maximum number of bytes
   * @param announced number of announced bytes, 0 if unknown: only a hint, so little memory is reserved for it
   */
  constructor(max: number, announced: number) {
    this.#max = max
    this.#open = Buffer.allocUnsafeSlow(Math.min(announced, max, maxReserved))
  }

  /** Adds a chunk, which must not change afterwards. Returns false and adds nothing if it exceeds the limit. */
  push(piece: Uint8Array): boolean {
    const length = this.#length + piece.length
    if (length > this.#max) return false
    this.#length = length
    if (piece.length > this.#open.length - this.#used) {
      this.#seal()
      if (piece.length >= largePiece) {
        this.#blocks.push(piece)
        return true
      }
      this.#open = Buffer.allocUnsafeSlow(blockBytes)
    }
    this.#open.set(piece, this.#used)
    this.#used += piece.length
    return true
  }

  /** Adds as much of a chunk as fits. */
  fill(piece: Uint8Array): void {
    this.push(piece.subarray(0, this.#max - this.#length))
  }

  /** Returns all bytes in a buffer of exactly their size. */
  take(): Buffer {
    if (this.#used === this.#length && this.#used === this.#open.length) return this.#open
    this.#seal()
    const whole = Buffer.allocUnsafeSlow(this.#length)
    let at = 0
    for (const block of this.#blocks) {
      whole.set(block, at)
      at += block.length
    }
    return whole
  }

  #seal() {
    if (this.#used > 0) this.#blocks.push(this.#open.subarray(0, this.#used))
    this.#open = empty
    this.#used = 0
  }
}

const maxReserved = 1_048_576
const blockBytes = 16_384
const largePiece = 2_048
const empty = Buffer.alloc(0)
