/**
 * Collects a body into one buffer that belongs to the result alone. Small pieces are copied together at once,
 * so a body sent in a million chunks of one byte costs its bytes and not a million objects; large ones wait
 * for the end, so that what turns out too large has never been copied.
 */
export class Gathered {
  readonly #most: number
  #length = 0
  #blocks: Uint8Array[] = []
  #open: Buffer
  #used = 0

  /**
   * @param most bytes that are taken
   * @param announced bytes that were announced, 0 when none were: a hint, so little is reserved for it
   */
  constructor(most: number, announced: number) {
    this.#most = most
    this.#open = Buffer.allocUnsafeSlow(Math.min(announced, most, maxReserved))
  }

  /** Takes a piece, which must not change afterwards; false, and nothing taken, when that would be too much. */
  push(piece: Uint8Array): boolean {
    const length = this.#length + piece.length
    if (length > this.#most) return false
    this.#length = length
    if (piece.length > this.#open.length - this.#used) {
      this.#seal()
      if (piece.length >= largePiece) return this.#blocks.push(piece) > 0
      this.#open = Buffer.allocUnsafeSlow(blockBytes)
    }
    this.#open.set(piece, this.#used)
    this.#used += piece.length
    return true
  }

  /** Takes as much of a piece as there is still room for. */
  fill(piece: Uint8Array): void {
    this.push(piece.subarray(0, this.#most - this.#length))
  }

  /** All of it, in a buffer of exactly its size. */
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
