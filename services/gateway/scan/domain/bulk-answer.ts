/**
 * Collects the items of a bulk scan as JSON while its pages arrive. The total size of the pages is limited, and the
 * response is complete before anything is billed.
 */
import type { BulkItem } from '@tidemark/contracts/http/scan'
import { jsonOf, separated } from '../../http/domain/json-budget.ts'
import type { TextShare } from '../../http/domain/text-budget.ts'

export class BulkAnswer {
  readonly #items = new Map<number, Buffer>()
  readonly #share: Pick<TextShare, 'take' | 'exceeded'>
  #lacking: Lacking | null = null

  /** @param share the memory that the pages may take */
  constructor(share: Pick<TextShare, 'take' | 'exceeded'>) {
    this.#share = share
  }

  /**
   * Why a page was rejected. `own`: the response or the project has no capacity left; `shared`: the gateway has none
   * left. No further page begins then.
   */
  get lacking(): Lacking | null {
    return this.#lacking
  }

  has(index: number): boolean {
    return this.#items.has(index)
  }

  /** Adds an item. If a page exceeds a limit, an error item is added in its place, and the result is false. */
  put(index: number, item: BulkItem): boolean {
    const json = jsonOf(item)
    // Errors are short, and say why a page is missing.
    const isTaken = json !== null && (!item.ok || this.#share.take(json.length))
    if (!isTaken) this.#lacking = (json && this.#share.exceeded) ?? 'own'
    this.#items.set(index, isTaken ? json : Buffer.from(JSON.stringify(rejected(item.url, this.#lacking))))
    return isTaken
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

type Lacking = NonNullable<TextShare['exceeded']>

/** Returns the item of a page that exceeds a limit. */
export const rejected = (url: string, lacking: Lacking | null): BulkItem =>
  lacking === 'shared' ? noMemory(url) : tooLarge(url)

const noMemory = (url: string): BulkItem => ({
  url,
  ok: false,
  error: 'fetch failed: other responses occupy the memory of the gateway; repeat this URL later',
  reason: 'unavailable',
})

export const tooLarge = (url: string): BulkItem => ({
  url,
  ok: false,
  error: 'fetch failed: the response has no capacity left for this page; send fewer URLs at once',
  reason: 'too_large',
})
