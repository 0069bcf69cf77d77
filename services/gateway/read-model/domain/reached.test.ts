import { test } from 'tap'
import { Reached } from './reached.ts'

test('A wait for a sequence is resolved once, by it or a later one', async t => {
  const reached = new Reached()
  const woken: number[] = []
  for (const sequence of [3, 5, 7]) reached.when('RUNS', sequence, () => woken.push(sequence))
  const stop = reached.when('RUNS', 4, () => woken.push(4))
  stop()
  reached.note('OTHER', 100)
  reached.note('RUNS', 5)
  reached.note('RUNS', 4)
  reached.note('RUNS', 6)
  t.strictSame(woken, [3, 5])
  t.equal(reached.has('RUNS', 6), true)
  t.equal(reached.has('RUNS', 7), false)
})
