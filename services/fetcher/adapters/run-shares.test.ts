import { until } from '@tidemark/testing/until'
import type { Redis } from 'ioredis'
import { test } from 'tap'
import { createRunShares } from './run-shares.ts'

// Seed 30001143 of the simulator: two fetchers sent requests of a run with a concurrency of 1 at once.
test('A share that shrinks counts until this process cannot use it any more', async t => {
  const used: number[] = []
  const answers = [2, 0, 0]
  const redis = {
    defineCommand() {},
    hdel: async () => 1,
    takePart: async (_key: string, _me: string, _concurrency: number, now: number) => {
      used.push(now)
      // Longer than the pause between two updates, which must not overlap.
      if (used.length > 1) await new Promise(resolve => setTimeout(resolve, 300))
      return answers[used.length - 1] ?? 0
    },
  }
  using shares = createRunShares(redis as unknown as Redis, 'me')
  const parts: number[] = []
  let inFlight = 0
  using _ = shares.join(
    1,
    2,
    part => void parts.push(part),
    () => inFlight,
  )
  await until(() => parts.length === 1)
  inFlight = 1
  await until(() => parts.length === 2)
  t.strictSame(parts, [2, 0])
  await until(() => used.length >= 3)
  t.strictSame(
    used.slice(0, 3),
    [0, 2, 1],
    'the second update counts the share, and the third what is in flight',
  )
})
