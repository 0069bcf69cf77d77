/**
 * Lists of the API: awaited, a list is its first part; iterated, it is all items of all parts. Nothing is requested before
 * either. A list with content is read as NDJSON, line by line, and continues after a cut at the next line.
 */
import { AttemptTimedOutError, ConnectionFailedError } from './errors.ts'
import { keepMeta } from './meta.ts'
import type { Operation } from './operation.ts'
import { operations } from './operations.ts'
import { backoff, sleep } from './retries.ts'
import type { Arguments, CallOptions, OperationId, Transport } from './transport.ts'

type Part<Item> = { items: Item[]; next_offset: number | null }
/** A call in the log. */
type Timed = { ts: string; request_id: string }

export class List<Item, First> implements Promise<First>, AsyncIterable<Item> {
  readonly [Symbol.toStringTag] = 'List'
  readonly #transport: Transport
  readonly #id: OperationId
  readonly #args: Arguments
  readonly #options: CallOptions
  #first: Promise<First> | undefined

  constructor(transport: Transport, id: OperationId, args: Arguments, options: CallOptions = {}) {
    this.#transport = transport
    this.#id = id
    this.#args = args
    this.#options = options
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a list reads its first part
  then<A = First, B = never>(
    onDone?: ((first: First) => A | PromiseLike<A>) | null,
    onFailed?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#first ??= this.#read()
    return this.#first.then(onDone, onFailed)
  }

  catch<B = never>(onFailed?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<First | B> {
    return this.then(null, onFailed)
  }

  finally(onEnd?: (() => void) | null): Promise<First> {
    return this.then().finally(onEnd)
  }

  /** Reads all items into an array. */
  async all(): Promise<Item[]> {
    const items: Item[] = []
    for await (const item of this) items.push(item)
    return items
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    const { pagedBy, itemKey }: Operation = operations[this.#id]
    if (this.#hasContent) yield* this.#lines()
    else if (pagedBy === 'page') yield* this.#numbered()
    else if (pagedBy === 'until') yield* this.#timed()
    else if (itemKey !== undefined) yield* withoutRepetitions(this.#parts(false), itemKey)
    else yield* this.#parts(pagedBy === 'before')
  }

  /** A part that failed is not kept, so that the list can be awaited again. */
  async #read(): Promise<First> {
    try {
      return this.#hasContent
        ? await this.#contentPart()
        : ((await this.#transport.call(this.#id, this.#args, this.#options)) as First)
    } catch (error) {
      this.#first = undefined
      throw error
    }
  }

  get #hasContent(): boolean {
    return this.#args.query?.include !== undefined
  }

  /** Reads a later part. An earlier result of the list is its first part. */
  async #part<T>(query: Record<string, unknown>): Promise<T> {
    const { known, ...options } = this.#options
    const args = { ...this.#args, query: { ...this.#args.query, ...query } }
    return (await this.#transport.call(this.#id, args, options)) as T
  }

  /** @param isById continue behind the id of the last item, so that deletions meanwhile move nothing */
  async *#parts(isById: boolean): AsyncGenerator<Item, void, undefined> {
    let part = (await this) as unknown as Part<Item>
    for (;;) {
      const last = part.items.at(-1) as { id?: number } | undefined
      const next = isById ? { before: last?.id, offset: undefined } : { offset: part.next_offset }
      yield* part.items
      if ((part.next_offset ?? null) === null) return
      part = await this.#part<Part<Item>>(next)
    }
  }

  /**
   * Continues at the time of the last item. An offset alone would move, because each request of a part is a call that is
   * added at the front. The time of the first item would not be enough: earlier calls may be added to the log later.
   */
  async *#timed(): AsyncGenerator<Item, void, undefined> {
    let part = (await this) as unknown as Part<Item & Timed>
    let [until, offset] = ['', 0]
    const seen = new Set<string>()
    for (;;) {
      for (const item of part.items) if (!seen.has(item.request_id)) yield item as Item
      const last = part.items.at(-1)
      if ((part.next_offset ?? null) === null || last === undefined) return
      if (last.ts !== until) {
        ;[until, offset] = [last.ts, 0]
        seen.clear()
      }
      const atBound = part.items.filter(({ ts }) => ts === until)
      offset += atBound.length
      for (const { request_id } of atBound) seen.add(request_id)
      part = await this.#part({ until, offset })
    }
  }

  async *#numbered(): AsyncGenerator<Item, void, undefined> {
    let number = Number(this.#args.query?.page ?? 1)
    let part = (await this) as unknown as { scrapers: Item[]; total: number }
    const limit = Math.max(Number(this.#args.query?.limit ?? 0), part.scrapers.length)
    for (;;) {
      yield* part.scrapers
      if (part.scrapers.length === 0 || number * limit >= part.total) return
      number++
      part = await this.#part({ page: number })
    }
  }

  /** Yields the lines of all parts. After a cut it continues behind the last whole line. */
  async *#lines(): AsyncGenerator<Item, void, undefined> {
    let offset = Number(this.#args.query?.offset ?? 0)
    for (let failures = 0; ; ) {
      try {
        const response = await this.#openLines(offset)
        const next = response.headers.get('x-next-offset')
        for await (const line of linesOf(response)) {
          offset++
          failures = 0
          yield JSON.parse(line) as Item
        }
        if (next === null) return
        offset = Number(next)
      } catch (error) {
        const isCut = error instanceof ConnectionFailedError || error instanceof AttemptTimedOutError
        if (!isCut || failures >= this.#transport.settings.maxRetries) throw error
        await sleep(backoff(failures++), this.#options.signal)
      }
    }
  }

  async #contentPart(): Promise<First> {
    const response = await this.#openLines(Number(this.#args.query?.offset ?? 0))
    const items: Item[] = []
    for await (const line of linesOf(response)) items.push(JSON.parse(line))
    const next = response.headers.get('x-next-offset')
    const part: Part<Item> = { items, next_offset: next === null ? null : Number(next) }
    keepMeta(part, response)
    return part as unknown as First
  }

  #openLines(offset: number): Promise<Response> {
    const query = { ...this.#args.query, format: 'ndjson', offset: offset === 0 ? undefined : offset }
    const { known, ...options } = this.#options
    return this.#transport.open(this.#id, { ...this.#args, query }, options, 'application/x-ndjson')
  }
}

/** Yields each item once. */
async function* withoutRepetitions<Item>(
  items: AsyncIterable<Item>,
  key: string,
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set<unknown>()
  for await (const item of items) {
    const value = (item as Record<string, unknown>)[key]
    if (!seen.has(value)) yield item
    seen.add(value)
  }
}

/** Yields the whole lines of a body, also blank ones. A last line without its end is left out. */
export async function* linesOf(response: Response): AsyncGenerator<string, void, undefined> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  const decoder = new TextDecoder()
  // The chunks of the unfinished line are joined at its end, so that a long line takes no quadratic time.
  let rest: string[] = []
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const [end = '', ...others] = (done ? decoder.decode() : decoder.decode(value, { stream: true })).split(
        '\n',
      )
      rest.push(end)
      for (const next of others) {
        yield rest.join('').replace(/\r$/, '')
        rest = [next]
      }
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
