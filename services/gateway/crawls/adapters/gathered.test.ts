import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'tap'
import { gathered } from './gathered.ts'

type Statement = {
  projectId: number
  keys: string[]
  answer: (found: Map<string, string>) => void
  fail: () => void
}

test('Questions that come together', async t => {
  const statements: Statement[] = []
  const find = gathered<string, string>((projectId, keys) => {
    const { promise, resolve, reject } = Promise.withResolvers<Map<string, string>>()
    statements.push({ projectId, keys, answer: resolve, fail: () => reject(new Error('away')) })
    return promise
  })
  const requested = async () => {
    await nextTurn()
    await nextTurn()
    return statements.splice(0)
  }
  const all = (keys: string[]) => new Map(keys.map(key => [key, `value of ${key}`]))

  await t.test('go in one statement, each key once, and each gets its own answer', async t => {
    const answers = Promise.all(['a', 'b', 'a', 'gone'].map(key => find(1, key)))
    const [statement, ...more] = await requested()
    t.strictSame([statement?.keys, more], [['a', 'b', 'gone'], []])
    statement?.answer(all(['a', 'b']))
    t.strictSame(await answers, ['value of a', 'value of b', 'value of a', null])
  })

  await t.test('never with those of another project', async t => {
    const answers = Promise.all([find(1, 'a'), find(2, 'a')])
    const both = await requested()
    t.strictSame(
      both.map(({ projectId, keys }) => [projectId, keys]),
      [
        [1, ['a']],
        [2, ['a']],
      ],
    )
    both[0]?.answer(all(['a']))
    both[1]?.answer(new Map())
    t.strictSame(await answers, ['value of a', null])
  })

  await t.test('wait while two statements are under way, and then go together', async t => {
    const first = find(1, 'a')
    const [one] = await requested()
    const second = find(1, 'b')
    const [two] = await requested()
    const rest = Promise.all([find(1, 'c'), find(1, 'd')])
    t.strictSame(await requested(), [])
    one?.answer(all(['a']))
    const [three] = await requested()
    t.strictSame([await first, three?.keys], ['value of a', ['c', 'd']])
    two?.answer(all(['b']))
    three?.answer(all(['c', 'd']))
    t.strictSame([await second, await rest], ['value of b', ['value of c', 'value of d']])
  })

  await t.test('fail together, and the next are requested again', async t => {
    const failing = [find(1, 'a'), find(1, 'b')]
    const ends = Promise.allSettled(failing)
    const [statement] = await requested()
    const next = find(1, 'a')
    const [another] = await requested()
    statement?.fail()
    t.strictSame(
      (await ends).map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    another?.answer(all(['a']))
    t.equal(await next, 'value of a')
  })
})
