/**
 * Collects the items of a bulk scan as JSON while its pages arrive. The total size is limited, and the response is
 * complete before anything is billed.
 */
import type { BulkItem } from '@tidemark/contracts/http/scan'
import { JsonBudget, separated } from '../../http/domain/json-budget.ts'
import type { TextShare } from '../../http/domain/text-budget.ts'

export class BulkAnswer {
  readonly #items = new Map<number, Buffer>()
  readonly #room: JsonBudget

  /** @param share the memory that the items may take */
  constructor(share: Pick<TextShare, 'take'>) {
    this.#room = new JsonBudget(share)
  }

  /** Whether an item was rejected because of the limit. Then no further page need be fetched. */
  get isFull(): boolean {
    return this.#room.isFull
  }

  has(index: number): boolean {
    return this.#items.has(index)
  }

  /** Adds an item. If it exceeds the limit, an error item is added in its place. */
  put(index: number, item: BulkItem): void {
    this.#items.set(index, this.#room.take(item) ?? Buffer.from(JSON.stringify(tooLarge(item.url))))
  }

  /**
   * Returns the response as JSON, with all items in their order. Every index below `count` must have been added. Drops the
   * items, so that memory holds them only once.
   */
  json(count: number, warnings: readonly string[]): Buffer {
    const parts = Array.from({ length: count }, (_, index) => this.#items.get(index) ?? Buffer.from('null'))
    this.#items.clear()
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
