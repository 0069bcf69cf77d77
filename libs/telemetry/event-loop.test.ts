/** Tests the reports about a blocked event loop. */
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'tap'
import { watchEventLoop } from './event-loop.ts'
import type { Logger } from './log.ts'

type Stall = { ms: number; cpu_ms: number }

test('A stall is logged with its duration and its CPU time, unless it is short', async t => {
  const stalls: Stall[] = []
  const log = { warn: (fields: Stall) => void stalls.push(fields) } as unknown as Pick<Logger, 'warn'>
  const watching = watchEventLoop(log, 2_000)
  await stall()
  t.strictSame(stalls, [])
  watching[Symbol.dispose]()

  using _ = watchEventLoop(log, 200)
  await stall()
  const [stalled] = stalls
  t.ok(stalled && stalled.ms >= 380, `${stalled?.ms} ms`)
  t.ok(stalled && stalled.cpu_ms < 380, `${stalled?.cpu_ms} ms of CPU time`)
})

/** Blocks the event loop without using CPU time. */
async function stall(): Promise<void> {
  await sleep(30)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)
  await sleep(30)
}
