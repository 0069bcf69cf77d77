/** What is said of an event loop that was held up. */
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'tap'
import { watchEventLoop } from './event-loop.ts'
import type { Logger } from './log.ts'

type Told = { ms: number; cpu_ms: number }

test('A stall is told with its length and what was computed in it, and a short one is not', async t => {
  const told: Told[] = []
  const log = { warn: (fields: Told) => void told.push(fields) } as unknown as Pick<Logger, 'warn'>
  const watching = watchEventLoop(log, 2_000)
  await stall()
  t.strictSame(told, [])
  watching[Symbol.dispose]()

  using _ = watchEventLoop(log, 200)
  await stall()
  const [stalled] = told
  t.ok(stalled && stalled.ms >= 380, `${stalled?.ms} ms`)
  t.ok(stalled && stalled.cpu_ms < 380, `${stalled?.cpu_ms} ms of them computed`)
})

/** Waits without computing, and without letting anybody else have a turn. */
async function stall(): Promise<void> {
  await sleep(30)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)
  await sleep(30)
}
