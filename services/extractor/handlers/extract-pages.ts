/**
 * One message of pages in; it is acked when each of them has been stored and its run told. Messages are read
 * one after the other, for there is one thread, and between pages others get a turn at it.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import { ack, type Handler, nak } from '@tidemark/bus/verdict'
import { outcomeBytes } from '@tidemark/contracts/work/outcome'
import type { Batches } from '../adapters/batches.ts'
import type { Arrived } from '../adapters/read-frame.ts'
import type { ReadPage } from './read-page.ts'

type Ports = {
  read: (arrived: Arrived) => Promise<ReadPage>
  batches: Batches<ReadPage>
}

/** Reading as long as this without a pause keeps nobody's heartbeat back. */
const pauseAfterMs = 10

export function extractPages({ read, batches }: Ports): Handler<Arrived[]> {
  let line = Promise.resolve()

  return async (work, { signal }) => {
    const more = batches.expectMore()
    const reading = line.then(() => readAll(work)).finally(() => more[Symbol.dispose]())
    line = reading.then(
      () => {},
      () => {},
    )
    try {
      await Promise.all(await reading)
      return ack
    } catch (error) {
      if (signal.aborted) return nak(0)
      throw error
    }
  }

  /** The promises are of the pages' settling, which goes on while the next are read. */
  async function readAll(work: Arrived[]): Promise<Promise<void>[]> {
    const settled: Promise<void>[] = []
    let since = performance.now()
    for (const arrived of work) {
      const done = await read(arrived)
      const settling = batches.add(done, bytesOf(done))
      settling.catch(() => {}) // somebody waits for it below, unless a later page cannot be read
      settled.push(settling)
      if (performance.now() - since < pauseAfterMs) continue
      await breathe()
      since = performance.now()
    }
    return settled
  }
}

/** About what it holds in memory: its body, and the links of which there were too many for one message. */
const bytesOf = ({ stored, outcomes }: ReadPage): number =>
  (stored?.body?.data.byteLength ?? 0) + (outcomes.length - 1) * outcomeBytes
