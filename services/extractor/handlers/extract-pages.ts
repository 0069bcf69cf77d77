/**
 * One message of pages in; it is acked when each of them has been stored and its run told. The work of this thread
 * is done in one line, and between pages others get a turn at it. What is large or lies elsewhere is read outside of
 * that line: it keeps no other message waiting, and of its own only the later pages of its run, whose order stays.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import { backOff } from '@tidemark/bus/judge'
import { ack, type Delivery, type Handler, nak, type Verdict } from '@tidemark/bus/verdict'
import { outcomeBytes } from '@tidemark/contracts/work/outcome'
import type { Arrived } from '../adapters/read-frame.ts'
import type { Batches } from '../turns/batches.ts'
import { createPlaces, type Places } from '../turns/places.ts'
import { createRoom } from '../turns/room.ts'
import type { PageReader, ReadPage } from './read-page.ts'
import { mostSitemapBytes } from './read-sitemap.ts'

type Ports = {
  reader: PageReader
  batches: Batches<ReadPage>
  /** Messages that come at once; no more than half of them wait for what is read elsewhere. */
  messages: number
  /** Largest body of a page, in bytes. */
  maxBytes: number
  report: (error: unknown) => void
}

/** `isLarge`: known not to be read here. */
type Later = { arrived: Arrived; isLarge: boolean }

/** Reading as long as this without a pause keeps nobody's heartbeat back. */
const pauseAfterMs = 10
/** Of bodies that were put aside, from when they are asked for until they are stored. */
const mostBytesAside = 96 * 1024 ** 2
/** Half an hour; then it waits in its place. */
const mostPutBack = 60
/**
 * What had to wait has used up deliveries without a try, and is owed tries after them: at this one a failure is the
 * bus's to judge, which gives up at the hundredth whatever comes of it.
 */
const lastTry = 90

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
  readonly #places: Places
  readonly #room = createRoom(mostBytesAside)
  #line: Promise<unknown> = Promise.resolve()

  constructor(ports: Ports) {
    const half = Math.max(1, ports.messages >> 1)
    this.#ports = ports
    this.#places = createPlaces({ all: half, each: Math.ceil(half / 2) })
  }

  async extract(work: Arrived[], delivery: Delivery): Promise<Verdict> {
    const { sequence, attempt, signal } = delivery
    const againMs = attempt < mostPutBack ? this.#places.tooSoon(sequence) : null
    if (againMs !== null) return nak(againMs)
    const settled: Promise<void>[] = []
    const later = await this.#readHere(work, settled)
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

  /** In a place, if there is one; else says in how many milliseconds the message should come again. */
  async #settleAllLater(
    { arrived: { page } }: Later,
    later: Later[],
    { sequence, attempt, signal }: Delivery,
  ): Promise<number | undefined> {
    using place = this.#places.take(sequence, page.runId)
    if (place === null && attempt < mostPutBack) return this.#places.putBack(sequence, page.runId)
    for (const one of later) await this.#settleLater(one, signal)
    return undefined
  }

  /** What is not read here, and what of the same runs follows it. */
  #readHere(work: Arrived[], settled: Promise<void>[]): Promise<Later[]> {
    const more = this.#ports.batches.expectMore()
    return this.#inLine(() => this.#readAll(work, settled)).finally(() => more[Symbol.dispose]())
  }

  /** The promises are of the pages' settling, which goes on while the next are read. */
  async #readAll(work: Arrived[], settled: Promise<void>[]): Promise<Later[]> {
    const later: Later[] = []
    let since = performance.now()
    for (const arrived of work) {
      const isBehind = later.length > 0 && later.some(({ arrived: { page } }) => isOfRun(page, arrived))
      const done = isBehind ? null : await this.#ports.reader.here(arrived)
      if (done === null) later.push({ arrived, isLarge: !isBehind })
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
    const { kind, bulkyKey } = arrived.page
    const bytes = kind === 'sitemap' ? mostSitemapBytes : maxBytes
    using _held = bulkyKey === null ? null : await this.#room.enter(bytes, signal)
    const done = isLarge ? null : await this.#inLine(() => reader.here(arrived))
    await this.#settle(done ?? (await reader.elsewhere(arrived)))
  }

  #inLine<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#line.then(work)
    this.#line = mine.catch(() => {})
    return mine
  }

  #settle(done: ReadPage): Promise<void> {
    const settling = this.#ports.batches.add(done, bytesOf(done))
    settling.catch(() => {}) // somebody waits for it, unless a later page cannot be read
    return settling
  }
}

const isOfRun = ({ runId }: Arrived['page'], { page }: Arrived): boolean => page.runId === runId

/** About what it holds in memory: its body, and the links of which there were too many for one message. */
const bytesOf = ({ stored, outcomes }: ReadPage): number =>
  (stored?.body?.data.byteLength ?? 0) + Math.max(0, outcomes.length - 1) * outcomeBytes
