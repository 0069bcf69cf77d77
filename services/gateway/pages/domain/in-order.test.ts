import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'tap'
import { inOrder } from './in-order.ts'

test('Ordered results wait for a slow reader', async t => {
  let begun = 0
  const limits = { maxItems: 8, maxWeight: Number.POSITIVE_INFINITY, weigh: () => 1 }
  const items = async function* () {
    for (let n = 0; n < 100; n++) yield n
  }
  const results = inOrder(items(), limits, async n => {
    begun++
    await sleep(n % 3)
    return n
  })
  t.equal((await results.next()).value, 0)
  await sleep(50)
  t.equal(begun, 8)
  await results.return(undefined)
  await sleep(50)
  t.equal(begun, 8, 'and does nothing for one that left')
})

test('Ordered work looks ahead by weight, and never waits for an item that is too heavy', async t => {
  let begun: number[] = []
  const items = async function* () {
    yield* [4, 3, 4, 25, 1, 1]
  }
  const results = inOrder(items(), { maxItems: 8, maxWeight: 10, weigh: n => n }, async n => {
    begun.push(n)
    return n
  })
  const steps: [taken: number | undefined, begun: number[]][] = []
  for await (const taken of results) {
    steps.push([taken, begun])
    begun = []
  }
  t.strictSame(steps, [
    [4, [4, 3]],
    [3, [4]],
    [4, []],
    [25, [25]],
    [1, [1, 1]],
    [1, []],
  ])
})
