/**
 * The items of a long answer, each kept as the JSON to send, many of them in one buffer. Fifty thousand items take no more
 * memory than their text, and never become objects again.
 */
import { JsonText } from '../../domain/json-text.ts'

/** Size of one buffer. A longer item gets a buffer of its own. */
const slabBytes = 256 * 1024
/** Size of one piece of the text. */
const pieceBytes = 64 * 1024
const comma = Buffer.from(',')

export class PackedItems<Item extends object> {
  readonly #slabs: Buffer[] = []
  /** Used bytes of the last slab. */
  #used = 0
  /** The start and the length of each item by its index in the answer, as if all buffers were one. */
  readonly #starts: number[] = []
  readonly #lengths: number[] = []
  #count = 0
  #bytes = 0

  get count(): number {
    return this.#count
  }

  /** Stores an item at a free index and returns its size in bytes. */
  put(index: number, item: Item): number {
    const text = JSON.stringify(item)
    const length = Buffer.byteLength(text)
    const { slab, number } = this.#slabFor(length)
    slab.write(text, this.#used)
    this.#starts[index] = number * slabBytes + this.#used
    this.#lengths[index] = length
    this.#used += length
    this.#count += 1
    this.#bytes += length
    return length
  }

  /** Removes and returns an item, or null if its index is free. */
  take(index: number): Item | null {
    const text = this.#at(index)
    if (text === null) return null
    delete this.#lengths[index]
    this.#count -= 1
    this.#bytes -= text.length
    return JSON.parse(text.toString()) as Item
  }

  /** Returns all items as an array, in the order of their indexes, without gaps. Do not change items until it is read. */
  json(): JsonText {
    return new JsonText(this.#bytes + Math.max(this.#count - 1, 0) + 2, () => this.#pieces())
  }

  #slabFor(length: number): { slab: Buffer; number: number } {
    const last = this.#slabs.at(-1)
    if (last !== undefined && this.#used + length <= last.length)
      return { slab: last, number: this.#slabs.length - 1 }
    const slab = Buffer.allocUnsafeSlow(Math.max(slabBytes, length))
    this.#used = 0
    return { slab, number: this.#slabs.push(slab) - 1 }
  }

  #at(index: number): Buffer | null {
    const [start, length] = [this.#starts[index], this.#lengths[index]]
    if (start === undefined || length === undefined) return null
    const offset = start % slabBytes
    return this.#slabs[Math.floor(start / slabBytes)]?.subarray(offset, offset + length) ?? null
  }

  *#pieces(): Generator<Buffer> {
    let parts: Buffer[] = [Buffer.from('[')]
    let bytes = 1
    let isFirst = true
    for (let index = 0; index < this.#lengths.length; index++) {
      const text = this.#at(index)
      if (text === null) continue
      if (!isFirst) parts.push(comma)
      parts.push(text)
      bytes += text.length + 1
      isFirst = false
      if (bytes < pieceBytes) continue
      yield Buffer.concat(parts)
      parts = []
      bytes = 0
    }
    yield Buffer.concat([...parts, Buffer.from(']')])
  }
}
