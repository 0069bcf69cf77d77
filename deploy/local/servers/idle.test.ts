import t from 'tap'
import { untilIdle } from './idle.ts'

/** Returns the seconds that were waited if the processors are busy for these shares of each look; then `rest`. */
async function waited(busy: number[], rest: number): Promise<number> {
  let looks = 0
  let spent = 0
  await untilIdle(new AbortController().signal, {
    pause: async () => {
      spent += busy[looks++] ?? rest
    },
    times: () => ({ idle: 5_000 * looks - 5_000 * spent, all: 5_000 * looks }),
  })
  return looks * 5
}

t.test('Background work', async t => {
  t.equal(await waited([], 0), 20, 'begins after 20 s on an idle machine')
  t.equal(await waited([0, 0, 0, 0.5], 0.05), 40, 'waits for 20 s without a pause')
  t.equal(await waited([], 1), 15 * 60, 'begins after 15 minutes on a busy machine')
  const stopped = new AbortController()
  stopped.abort()
  await t.rejects(
    untilIdle(stopped.signal),
    { name: 'AbortError' },
    'never begins once the signal has aborted',
  )
})
