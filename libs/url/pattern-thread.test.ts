/** The pattern thread: how tenants share it, how questions are cancelled, and how it recovers when it hangs. */
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'tap'
import { createFairWork } from './fair-work.ts'
import { openPatternThread } from './pattern-thread.ts'

/** A page of such URLs takes seconds. */
const heavy = { exclude: Array.from({ length: 60 }, (_, at) => `[ab]*a[ab]{20}[^ab]${at}`) }
const light = { include: ['^/blog/', '^/docs'], exclude: ['\\.pdf$', '/draft'] }
const urls = Array.from({ length: 300 }, (_, at) => {
  let odd = at
  const letters = Array.from({ length: 2_000 }, () => {
    odd = (Math.imul(odd, 1_664_525) + 1_013_904_223) >>> 0
    return odd > 0x7fffffff ? 'a' : 'b'
  })
  return `https://h/${letters.join('')}`
})
const patient = { budgetMs: 600_000 }

test('Patterns on a thread', async t => {
  await using thread = openPatternThread()
  const pages = ['https://h/blog/a', 'https://h/shop', 'https://h/docs/a.pdf', 'https://h/blog/draft']
  const { verdicts } = await thread.judge(light, pages, { tenant: 1, ...patient })
  t.strictSame(
    verdicts,
    [
      null,
      { by: 'include', pattern: null },
      { by: 'exclude', pattern: '\\.pdf$' },
      { by: 'exclude', pattern: '/draft' },
    ],
    'get the verdicts of a filter',
  )
  t.strictSame(await thread.check(light, { tenant: 1 }), { ok: true })
  t.match(await thread.check({ include: ['a'], exclude: ['('] }, { tenant: 1 }), {
    ok: false,
    list: 'exclude',
    at: 0,
  })

  await t.test('share the thread with patterns of other tenants', async t => {
    const stop = new AbortController()
    const theirs = Array.from({ length: 5 }, () =>
      thread.judge(heavy, urls, { tenant: 'attacker', ...patient, signal: stop.signal }).catch(() => 'ended'),
    )
    const waits: number[] = []
    for (let n = 0; n < 10; n++) {
      const began = performance.now()
      await thread.judge(light, pages, { tenant: 'neighbour', ...patient })
      waits.push(performance.now() - began)
    }
    const typical = waits.sort((a, b) => a - b)[5] ?? 0
    t.ok(typical < 1_000, `${Math.round(typical)} ms, where the others have minutes to do`)
    const began = performance.now()
    stop.abort()
    t.strictSame(
      await Promise.all(theirs),
      Array.from({ length: 5 }, () => 'ended'),
    )
    t.ok(performance.now() - began < 1_000, 'and are cancelled immediately')
  })

  await t.test('have a budget', async t => {
    const { verdicts, spentMs } = await thread.judge(heavy, urls, { tenant: 1, budgetMs: 100 })
    t.ok(
      verdicts.length < urls.length && spentMs >= 100,
      `${verdicts.length} URLs in ${Math.round(spentMs)} ms`,
    )
  })

  await t.test('do not wait for cancelled questions', async t => {
    const ended = AbortSignal.abort(new Error('ended'))
    await t.rejects(thread.judge(light, pages, { tenant: 1, ...patient, signal: ended }), {
      message: 'ended',
    })
  })
})

test('A hanging thread is terminated, and only its current question fails', async t => {
  const file = new URL('./hanging-thread.scene.ts', import.meta.url)
  // Longer than the start of a thread takes on a busy machine, which is silence, too.
  await using thread = openPatternThread({ file, silentMs: 1_000 })
  const hanging = thread.judge(light, ['https://h/hang'], { tenant: 1, ...patient })
  const other = thread.judge(light, ['https://h/blog/'], { tenant: 2, ...patient })
  t.strictSame(await hanging, { verdicts: [], spentMs: Number.POSITIVE_INFINITY })
  t.strictSame((await other).verdicts, [null])
})

test('A thread that cannot be started rejects its questions', async t => {
  await using thread = openPatternThread({ file: new URL('./not-there.ts', import.meta.url) })
  await t.rejects(thread.judge(light, ['https://h/'], { tenant: 1, ...patient }))
})

test('A thread without questions ends, and the next one starts another', async t => {
  await using thread = openPatternThread({ idleMs: 50 })
  await thread.check(light, { tenant: 1 })
  await sleep(300)
  t.strictSame(await thread.check(light, { tenant: 1 }), { ok: true })
})

test('Slices alternate between tenants, and work ends when its budget is spent', async t => {
  let now = 0
  const queue = createFairWork<string>(0, () => {
    const began = now
    return () => now - began
  })
  const order: number[] = []
  function* stepsOf(id: number, slices: number): Generator<void, string> {
    for (let n = 0; n < slices; n++) {
      now += 10
      order.push(id)
      yield
    }
    return 'done'
  }
  const work = (id: number, tenant: string, slices: number, budgetMs = 1_000) =>
    queue.add(id, { tenant, budgetMs, soFar: () => 'cut', steps: stepsOf(id, slices) })
  work(1, 'a', 3)
  work(2, 'a', 3, 20)
  work(3, 'b', 2)
  work(4, 'b', 9)
  const done: unknown[] = []
  while (queue.next() !== null) {
    const result = queue.slice()
    if (result) done.push([result.id, result.answer, result.spentMs])
    if (done.length === 2) queue.end(4)
  }
  t.strictSame(order.slice(0, 8), [1, 3, 2, 4, 1, 3, 2, 4])
  t.strictSame(done.slice(0, 2), [
    [2, 'cut', 20],
    [3, 'done', 20],
  ])
  t.strictSame(done.slice(2), [[1, 'done', 30]], 'cancelled work does not continue')
})
