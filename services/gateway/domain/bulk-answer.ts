/**
 * The answer of a bulk scan, gathered as text while its pages come in: what it holds is bounded whatever the pages
 * hold, and it is whole before anything is billed.
 */
import type { BulkItem } from '@tidemark/contracts/http/scan'

/** What an answer may hold, in bytes of JSON. */
export const mostBytes = 64 * 1024 ** 2

export class BulkAnswer {
  readonly #items = new Map<number, Buffer>()
  readonly #most: number
  #bytes = 0
  #isFull = false

  constructor(most: number = mostBytes) {
    this.#most = most
  }

  /** Whether an item has found no room: then no further page is worth its fetch. */
  get isFull(): boolean {
    return this.#isFull
  }

  has(index: number): boolean {
    return this.#items.has(index)
  }

  /** An item that has no room any more says so in place of its result. */
  put(index: number, item: BulkItem): void {
    const text = jsonOf(item)
    if (text !== null && this.#bytes + text.length <= this.#most) {
      this.#bytes += text.length
      this.#items.set(index, text)
    } else {
      this.#isFull = true
      this.#items.set(index, Buffer.from(JSON.stringify(tooLarge(item.url))))
    }
  }

  /** All items in their order, as JSON. Each of them must have been put. */
  json(count: number, warnings: readonly string[]): Buffer {
    const parts = Array.from({ length: count }, (_, index) => this.#items.get(index) ?? Buffer.from('null'))
    const separated = parts.flatMap((part, index) => (index === 0 ? [part] : [comma, part]))
    const end = warnings.length > 0 ? `],"warnings":${JSON.stringify(warnings)}}` : ']}'
    return Buffer.concat([Buffer.from('{"items":['), ...separated, Buffer.from(end)])
  }
}

/** Null for what is longer than any string can be. */
function jsonOf(item: BulkItem): Buffer | null {
  try {
    return Buffer.from(JSON.stringify(item))
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

const comma = Buffer.from(',')

export const tooLarge = (url: string): BulkItem => ({
  url,
  ok: false,
  error: 'fetch failed: the answer has no room left for this page; ask for fewer pages at once',
  reason: 'too_large',
})
