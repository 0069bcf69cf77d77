/** A byte budget whose owners cannot exclude each other. */
import { setImmediate as settled } from 'node:timers/promises'
import fc from 'fast-check'
import { test } from 'tap'
import { createFairBudget } from './fair-budget.ts'

/** Requests for a budget of 40 bytes, of which an owner holds at most 20. */
function requests() {
  const budget = createFairBudget({ all: 40, each: 20 })
  const entered: string[] = []
  const inside = new Map<string, Disposable>()
  return {
    entered,
    inside,
    /** Names begin with their owner. */
    async enter(name: string, bytes = 10, signal?: AbortSignal) {
      inside.set(name, await budget.enter(name[0] ?? '', bytes, signal))
      entered.push(name)
    },
    async leave(name: string) {
      inside.get(name)?.[Symbol.dispose]()
      inside.delete(name)
      await settled()
    },
  }
}

test('A shared budget lets no owner hold more than its share', async t => {
  const { entered, enter, leave } = requests()
  const all = [enter('a1'), enter('a2'), enter('a3'), enter('b1')]
  await settled()
  t.strictSame(entered, ['a1', 'a2', 'b1'])
  await leave('a1')
  t.strictSame(entered, ['a1', 'a2', 'b1', 'a3'])
  await Promise.all(all)
})

test('A full budget is next given to the owner with the fewest bytes', async t => {
  const { entered, enter, leave } = requests()
  const all = ['a1', 'a2', 'b1', 'b2', 'a3', 'b3', 'a4', 'c1'].map(name => enter(name))
  await settled()
  t.strictSame(entered, ['a1', 'a2', 'b1', 'b2'])
  await leave('b1')
  t.equal(entered.at(-1), 'c1', 'although others have waited longer')
  await leave('a1')
  t.equal(entered.at(-1), 'a3')
  for (const name of ['a2', 'a3', 'b2', 'c1']) await leave(name)
  await Promise.all(all)
})

test('A request above the whole budget enters alone, and an aborted one leaves the line', async t => {
  const { entered, enter, leave } = requests()
  const leaving = new AbortController()
  const all = [enter('a1'), enter('b1', 90), enter('c1')]
  const aborted = enter('a2', 25, leaving.signal)
  await settled()
  t.strictSame(entered, ['a1'], 'smaller ones do not overtake it')
  leaving.abort()
  await t.rejects(aborted, { name: 'AbortError' })
  await t.rejects(enter('a3', 1, leaving.signal), { name: 'AbortError' })
  await leave('a1')
  t.strictSame(entered, ['a1', 'b1'])
  await leave('b1')
  t.strictSame(entered, ['a1', 'b1', 'c1'])
  await Promise.all(all)
})

test('A budget without shares', async t => {
  const budget = createFairBudget({ all: 10 })
  const entered: string[] = []
  const enter = async (name: string, bytes: number, signal?: AbortSignal) => {
    const held = await budget.enter('a', bytes, signal)
    entered.push(name)
    return held
  }
  const first = await enter('first', 6)
  const leaving = new AbortController()
  const leaver = enter('gone', 6, leaving.signal)
  const later = enter('later', 20)
  const last = enter('last', 1)
  await settled()
  t.same(entered, ['first'], 'is entered in order, even by requests that would fit')
  leaving.abort()
  await t.rejects(leaver, { name: 'AbortError' })
  first[Symbol.dispose]()
  const held = await later
  t.same(entered, ['first', 'later'], 'also by a request that exceeds it')
  held[Symbol.dispose]()
  await last
  t.same(entered, ['first', 'later', 'last'])
})

test('A shared budget is never exceeded, and all requests enter in the end', async t => {
  const step = fc.record({
    owner: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    bytes: fc.integer({ min: 1, max: 20 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
      const { enter, leave, inside } = requests()
      const bytesOf = new Map(steps.map(({ owner, bytes }, n) => [`${owner}${n}`, bytes]))
      const all = [...bytesOf].map(([name, bytes]) => enter(name, bytes))
      for (let left = bytesOf.size; left > 0; left--) {
        await settled()
        const held = new Map<string, number>()
        for (const name of inside.keys())
          held.set(name[0] ?? '', (held.get(name[0] ?? '') ?? 0) + (bytesOf.get(name) ?? 0))
        const sum = [...held.values()].reduce((total, own) => total + own, 0)
        if (sum > 40 || [...held.values()].some(own => own > 20)) return false
        const [next] = inside.keys()
        if (next === undefined) return false
        await leave(next)
      }
      await Promise.all(all)
      return true
    }),
    { numRuns: 50 },
  )
  t.pass()
})
