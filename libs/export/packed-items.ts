/** A list of byte strings in few large blocks: an item costs its length and 12 bytes, where a Buffer costs 100 more. */

const blockBytes = 64 * 1024
const lengthBytes = 4

export class PackedItems {
  readonly #blocks: Buffer[] = []
  #used = blockBytes
  #positions = new Float64Array(1024)
  #count = 0

  get count(): number {
    return this.#count
  }

  /** Appends a copy of an item. An item larger than a block gets its own. */
  add(item: Buffer): void {
    const bytes = lengthBytes + item.length
    if (this.#used + bytes > blockBytes) {
      this.#blocks.push(Buffer.allocUnsafeSlow(Math.max(bytes, blockBytes)))
      this.#used = 0
    }
    const block = this.#blocks.at(-1) as Buffer
    block.writeUInt32LE(item.length, this.#used)
    item.copy(block, this.#used + lengthBytes)
    if (this.#count === this.#positions.length) this.#grow()
    this.#positions[this.#count++] = (this.#blocks.length - 1) * blockBytes + this.#used
    this.#used += bytes
  }

  /** Returns a view of the item at an index. Throws RangeError outside of the list. */
  at(index: number): Buffer {
    const position = index < this.#count ? this.#positions[index] : undefined
    if (position === undefined) throw new RangeError(`item ${index} of ${this.#count}`)
    const block = this.#blocks[Math.floor(position / blockBytes)] as Buffer
    const start = (position % blockBytes) + lengthBytes
    return block.subarray(start, start + block.readUInt32LE(start - lengthBytes))
  }

  #grow(): void {
    const positions = new Float64Array(this.#positions.length * 2)
    positions.set(this.#positions)
    this.#positions = positions
  }
}
