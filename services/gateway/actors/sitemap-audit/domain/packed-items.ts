/**
 * The items of a long answer, each kept as the JSON that is sent of it, many of them in one buffer: fifty thousand take
 * what their text takes, and are never objects again.
 */
import { JsonText } from '../../domain/json-text.ts'

/** Of one buffer; what is longer has one of its own. */
const slabBytes = 256 * 1024
/** Of one piece of the text. */
const pieceBytes = 64 * 1024
const comma = Buffer.from(',')

export class PackedItems<Item extends object> {
  readonly #slabs: Buffer[] = []
  /** Of the last slab. */
  #used = 0
  /** By the place of an item in the answer: where its text begins, as if all buffers were one, and its length. */
  readonly #starts: number[] = []
  readonly #lengths: number[] = []
  #count = 0
  #bytes = 0

  get count(): number {
    return this.#count
  }

  /** Puts an item in its place, which is still free, and returns how many bytes it takes. */
  put(place: number, item: Item): number {
    const text = JSON.stringify(item)
    const length = Buffer.byteLength(text)
    const { slab, number } = this.#slabFor(length)
    slab.write(text, this.#used)
    this.#starts[place] = number * slabBytes + this.#used
    this.#lengths[place] = length
    this.#used += length
    this.#count += 1
    this.#bytes += length
    return length
  }

  /** Takes an item back; null where its place is free. */
  take(place: number): Item | null {
    const text = this.#at(place)
    if (text === null) return null
    delete this.#lengths[place]
    this.#count -= 1
    this.#bytes -= text.length
    return JSON.parse(text.toString()) as Item
  }

  /** All of them as an array, in the order of their places, without gaps. Nothing may be put or taken until it is read. */
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

  #at(place: number): Buffer | null {
    const [start, length] = [this.#starts[place], this.#lengths[place]]
    if (start === undefined || length === undefined) return null
    const offset = start % slabBytes
    return this.#slabs[Math.floor(start / slabBytes)]?.subarray(offset, offset + length) ?? null
  }

  *#pieces(): Generator<Buffer> {
    let parts: Buffer[] = [Buffer.from('[')]
    let bytes = 1
    let isFirst = true
    for (let place = 0; place < this.#lengths.length; place++) {
      const text = this.#at(place)
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
