/**
 * Handles one message of pages, and acks it when each page is stored and its outcome published. The main thread works
 * sequentially, and yields between pages. Large or external bodies are read outside of this sequence: they delay no
 * other message, and of their own message only the later pages of the same run, whose order is kept.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import { backOff } from '@tidemark/bus/judge'
import { ack, type Delivery, type Handler, nak, type Verdict } from '@tidemark/bus/verdict'
import { outcomeBytes } from '@tidemark/contracts/work/outcome'
import type { Arrived } from '../adapters/read-frame.ts'
import type { StoredPages } from '../adapters/stored-pages.ts'
import type { Batches } from '../concurrency/batches.ts'
import { createFairBudget } from '../concurrency/fair-budget.ts'
import { createSlots, type Slots } from '../concurrency/slots.ts'
import { hasAllBytes, type PageReader, type ReadPage } from './read-page.ts'
import { maxSitemapBytes } from './read-sitemap.ts'

type Ports = {
  reader: PageReader
  /** Returns the pages of earlier runs with small bodies, by their pages. */
  readStored: StoredPages['readSmall']
  batches: Batches<ReadPage>
  /** Maximum concurrent messages. At most half of them wait for pages that are not read at once. */
  messages: number
  /** Largest body of a page, in bytes. */
  maxBytes: number
  report: (error: unknown) => void
}

/** A page that is read after its message. `isLarge`: it must not be read on this thread. */
type Later = { arrived: Arrived; isLarge: boolean }

/** Milliseconds of reading without a pause, which do not delay heartbeats. */
const pauseAfterMs = 10
/** Maximum size of external bodies in memory, from the read until they are stored. */
const maxExternalBytes = 96 * 1024 ** 2
/** Deliveries for which a message without a slot is put back: half an hour. From then on it waits for its slot. */
const maxPutBack = 60
/**
 * Up to this delivery, earlier ones may have been waits instead of attempts, so an error does not count against the
 * message. Afterwards the bus decides, which terminates a message at the hundredth delivery.
 */
const lastTry = 90
/**
 * From this delivery on, each page is read on the thread for large pages: one of them may have ended the earlier
 * processes. On the thread, it ends only the thread, and fails alone.
 */
const carefulFrom = 4

export function extractPages(ports: Ports): Handler<Arrived[]> {
  const extraction = new Extraction(ports)
  return async (work, delivery) => {
    try {
      return await extraction.extract(work, delivery)
    } catch (error) {
      if (delivery.signal.aborted) return nak(0)
      throw error
    }
  }
}

class Extraction {
  readonly #ports: Ports
  readonly #slots: Slots
  readonly #externalBodies = createFairBudget({ all: maxExternalBytes })
  #line: Promise<unknown> = Promise.resolve()

  constructor(ports: Ports) {
    const half = Math.max(1, ports.messages >> 1)
    this.#ports = ports
    this.#slots = createSlots({ all: half, each: Math.ceil(half / 2) })
  }

  async extract(arrived: Arrived[], delivery: Delivery): Promise<Verdict> {
    const { sequence, attempt, signal } = delivery
    const againMs = attempt < maxPutBack ? this.#slots.tooSoon(sequence) : null
    if (againMs !== null) return nak(againMs)
    const work = await this.#withStored(arrived)
    const settled: Promise<void>[] = []
    const later = await this.#readHere(work, settled, attempt >= carefulFrom)
    try {
      const [first] = later
      const putBackMs = first && (await this.#settleAllLater(first, later, delivery))
      await Promise.all(settled)
      return putBackMs === undefined ? ack : nak(putBackMs)
    } catch (error) {
      if (later.length === 0 || attempt >= lastTry || signal.aborted) throw error
      this.#ports.report(error)
      return nak(backOff(attempt))
    }
  }

  /** Adds small stored bodies to the pages of earlier runs, so that these pages are read like fetched ones. */
  async #withStored(work: Arrived[]): Promise<Arrived[]> {
    if (!work.some(({ page }) => page.storedIn !== undefined)) return work
    const found = await this.#ports.readStored(work.map(({ page }) => page))
    return work.map(arrived => {
      const stored = found.get(arrived.page)
      return stored ? { ...arrived, stored } : arrived
    })
  }

  /** Runs in a slot if one is free. Otherwise returns the milliseconds until the message should be redelivered. */
  async #settleAllLater(
    { arrived: { page } }: Later,
    later: Later[],
    { sequence, attempt, signal }: Delivery,
  ): Promise<number | undefined> {
    using slot = this.#slots.take(sequence, page.runId)
    if (slot === null && attempt < maxPutBack) return this.#slots.putBack(sequence, page.runId)
    for (const one of later) await this.#settleLater(one, signal)
    return undefined
  }

  /** Returns the pages that are not read on this thread, and the later pages of their runs. */
  #readHere(work: Arrived[], settled: Promise<void>[], isCareful: boolean): Promise<Later[]> {
    const more = this.#ports.batches.expectMore()
    const read = this.#inLine(() => this.#readAll(work, settled, isCareful))
    return read.finally(() => more[Symbol.dispose]())
  }

  /** Like `#readHere`. Adds a promise to `settled` for each page that is read, and continues with the next page. */
  async #readAll(work: Arrived[], settled: Promise<void>[], isCareful: boolean): Promise<Later[]> {
    const later: Later[] = []
    let since = performance.now()
    for (const arrived of work) {
      const isBehind = later.length > 0 && later.some(({ arrived: { page } }) => isOfRun(page, arrived))
      const done = isBehind || isCareful ? null : await this.#ports.reader.readInline(arrived)
      if (done === null) later.push({ arrived, isLarge: isCareful || !isBehind })
      else settled.push(this.#settle(done))
      if (performance.now() - since < pauseAfterMs) continue
      await breathe()
      since = performance.now()
    }
    return later
  }

  async #settleLater({ arrived, isLarge }: Later, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { reader, maxBytes } = this.#ports
    const { kind, runId } = arrived.page
    const bytes = kind === 'sitemap' ? maxSitemapBytes : maxBytes
    using _held = hasAllBytes(arrived) ? null : await this.#externalBodies.enter(runId, bytes, signal)
    const done = isLarge ? null : await this.#inLine(() => reader.readInline(arrived))
    await this.#settle(done ?? (await reader.readAny(arrived)))
  }

  #inLine<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#line.then(work)
    this.#line = mine.catch(() => {})
    return mine
  }

  #settle(done: ReadPage): Promise<void> {
    const settling = this.#ports.batches.add(done, bytesOf(done))
    settling.catch(() => {}) // the promise is awaited, unless a later page cannot be read
    return settling
  }
}

const isOfRun = ({ runId }: Arrived['page'], { page }: Arrived): boolean => page.runId === runId

/** Approximate memory of the page: its body, and the links beyond one message. */
const bytesOf = ({ stored, picture, outcomes }: ReadPage): number =>
  (stored?.body?.data.byteLength ?? 0) +
  (picture?.data.byteLength ?? 0) +
  Math.max(0, outcomes.length - 1) * outcomeBytes
