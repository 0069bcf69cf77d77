/**
 * Collects the answer of a bulk scan as text while its pages arrive. Its size is limited whatever the pages contain, and it
 * is complete before anything is billed.
 */
import type { BulkItem } from '@tidemark/contracts/http/scan'
import { JsonRoom, separated } from '../../http/domain/json-room.ts'

export class BulkAnswer {
  readonly #items = new Map<number, Buffer>()
  readonly #room: JsonRoom

  /** @param most maximum bytes of JSON */
  constructor(most?: number) {
    this.#room = new JsonRoom(most)
  }

  /** Whether an item has exceeded the limit: then no further page is worth its fetch. */
  get isFull(): boolean {
    return this.#room.isFull
  }

  has(index: number): boolean {
    return this.#items.has(index)
  }

  /** Adds an item. If it exceeds the limit, an error takes its place. */
  put(index: number, item: BulkItem): void {
    this.#items.set(index, this.#room.take(item) ?? Buffer.from(JSON.stringify(tooLarge(item.url))))
  }

  /** Returns all items in their order, as JSON. Each must have been put. */
  json(count: number, warnings: readonly string[]): Buffer {
    const parts = Array.from({ length: count }, (_, index) => this.#items.get(index) ?? Buffer.from('null'))
    const end = warnings.length > 0 ? `],"warnings":${JSON.stringify(warnings)}}` : ']}'
    return Buffer.concat([Buffer.from('{"items":['), ...separated(parts), Buffer.from(end)])
  }
}

export const tooLarge = (url: string): BulkItem => ({
  url,
  ok: false,
  error: 'fetch failed: the response has no capacity left for this page; send fewer URLs at once',
  reason: 'too_large',
})
