/** The order of pages: messages in their line, and the slots in the extractor. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createFairLine } from '@tidemark/bus/fair-line'
import type { Delivery, Verdict } from '@tidemark/bus/verdict'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { test } from 'tap'
import type { Arrived } from '../adapters/read-frame.ts'
import { createBatches } from '../concurrency/batches.ts'
import { createShares } from '../concurrency/shares.ts'
import { ThreadTerminated } from '../concurrency/thread.ts'
import { extractPages } from './extract-pages.ts'
import type { ReadPage } from './read-page.ts'

const settled = () => new Promise(setImmediate).then(() => new Promise(setImmediate))

/** `L…` is a large page, `A…` one with an external body, and all others are small. */
function page(name: string, runId = 1): Arrived {
  const bulkyKey = name.startsWith('A') ? name : null
  return { page: { runId, key: name, bulkyKey } as FetchedPage, blob: new Uint8Array() }
}

/** An extractor of 16 concurrent messages whose large pages are read when the test permits. */
function extractor(maxBytes = 1024) {
  const read: string[] = []
  const written: string[] = []
  const reported: unknown[] = []
  const underWay = new Map<string, (error?: Error) => void>()
  const readPage = ({ page }: Arrived): ReadPage => ({ page, stored: null, outcomes: [] })
  const handle = extractPages({
    reader: {
      async readInline(arrived) {
        const { key } = arrived.page
        read.push(key)
        return /^[LA]/.test(key) ? null : readPage(arrived)
      },
      async readAny(arrived) {
        const { promise, resolve, reject } = Promise.withResolvers<void>()
        underWay.set(arrived.page.key, error => (error ? reject(error) : resolve()))
        await promise
        underWay.delete(arrived.page.key)
        return readPage(arrived)
      },
    },
    batches: createBatches({
      ...{ maxItems: 50, maxBytes: 1024 ** 2, maxOut: 2, maxWaitMs: 50 },
      run: async items => void written.push(...items.map(({ page }) => page.key)),
    }),
    readStored: async () => new Map(),
    messages: 16,
    maxBytes,
    report: error => reported.push(error),
  })
  const stop = new AbortController()
  const deliver = (sequence: number, work: Arrived[], attempt = 1): Promise<Verdict> =>
    handle(work, { sequence, attempt, signal: stop.signal } as Delivery)
  return { read, written, reported, underWay, deliver, stop }
}

test('A message of pages', async t => {
  await t.test('does not wait for the large pages of others', async t => {
    const { deliver, underWay, written, read } = extractor()
    const large = Array.from({ length: 20 }, (_, n) => deliver(n, [page(`L${n}`)]))
    t.same(await deliver(99, [page('small', 2)]), { settle: 'ack' })
    t.same(written, ['small'])
    t.equal(underWay.size, 4, 'one run keeps only some slots')
    const back = (await Promise.all(large.slice(4))) as { settle: string; afterMs: number }[]
    t.ok(back.every(({ settle, afterMs }) => settle === 'nak' && afterMs >= 100 && afterMs <= 30_000))
    t.ok(
      (back[0]?.afterMs ?? 0) < (back.at(-1)?.afterMs ?? 0),
      'the others are redelivered later, one after the other',
    )

    const other = deliver(50, [page('L50', 2)])
    await settled()
    t.ok(underWay.has('L50'), 'another run gets a slot')
    const before = read.length
    t.match(await deliver(10, [page('L10')], 2), { settle: 'nak' })
    t.equal(read.length, before, 'a message that returns too early is not read again')
    const insisting = deliver(11, [page('L11')], 60)
    await settled()
    t.ok(underWay.has('L11'), 'and finally waits in its slot, before its last delivery')

    while (underWay.size > 0) {
      for (const end of underWay.values()) end()
      await settled()
    }
    t.same(await Promise.all([...large.slice(0, 4), other, insisting]), Array(6).fill({ settle: 'ack' }))
    const late = deliver(10, [page('L10')], 3)
    await settled()
    underWay.get('L10')?.()
    t.same(await late, { settle: 'ack' }, 'a redelivered message gets a free slot')
    t.same(written.sort(), ['L0', 'L1', 'L10', 'L11', 'L2', 'L3', 'L50', 'small'].sort(), 'each once')
  })

  await t.test('keeps the order of a run, and lets small pages overtake large ones', async t => {
    const { deliver, underWay, written } = extractor()
    const work = [page('a'), page('L'), page('b'), page('c', 2), page('L2'), page('d')]
    const done = deliver(1, work)
    await sleep(100)
    t.same(written, ['a', 'c'])
    underWay.get('L')?.()
    await sleep(20)
    t.same(written, ['a', 'c', 'L', 'b'])
    underWay.get('L2')?.()
    t.same(await done, { settle: 'ack' })
    t.same(written, ['a', 'c', 'L', 'b', 'L2', 'd'])
  })

  await t.test('loads external bodies only within the limit of memory', async t => {
    const { deliver, underWay } = extractor(40 * 1024 ** 2)
    const done = [1, 2, 3].map(n => deliver(n, [page(`A${n}`, n)]))
    await settled()
    t.same([...underWay.keys()], ['A1', 'A2'])
    underWay.get('A1')?.()
    await done[0]
    await settled()
    t.same([...underWay.keys()], ['A2', 'A3'])
    for (const end of underWay.values()) end()
    await Promise.all(done)
  })

  await t.test('is not dead-lettered at its first failure, even after many redeliveries', async t => {
    const { deliver, underWay, reported } = extractor()
    const fails = async (sequence: number, attempt: number) => {
      const done = deliver(sequence, [page(`L${sequence}`)], attempt)
      await settled()
      underWay.get(`L${sequence}`)?.(new Error('away'))
      return done
    }
    t.same(await fails(1, 31), { settle: 'nak', afterMs: 30_000 })
    t.same(await fails(2, 61), { settle: 'nak', afterMs: 30_000 })
    t.match(reported, [{ message: 'away' }, { message: 'away' }])
    await t.rejects(fails(3, 90), { message: 'away' }, 'but finally')
  })

  await t.test('is read away from the main thread once it may have ended processes', async t => {
    const { deliver, underWay, written, read } = extractor()
    t.same(await deliver(1, [page('a')], 3), { settle: 'ack' })
    const careful = deliver(2, [page('b'), page('c'), page('d', 2)], 4)
    for (const key of ['b', 'c', 'd']) {
      await settled()
      t.same([...underWay.keys()], [key])
      underWay.get(key)?.()
    }
    t.same(await careful, { settle: 'ack' })
    t.same(read, ['a'])
    t.same(written, ['a', 'b', 'c', 'd'])
  })

  await t.test('is redelivered when the extractor stops while it is read', async t => {
    const { deliver, underWay, stop, written } = extractor()
    const done = deliver(1, [page('L'), page('b')])
    await settled()
    stop.abort()
    underWay.get('L')?.(new ThreadTerminated('closed'))
    t.same(await done, { settle: 'nak', afterMs: 0 })
    t.same(written, [], 'and nothing is written')
  })
})

test('A fair queue', async t => {
  const line = createFairLine()
  const order: string[] = []
  const send = (owner: string, what: string, fault?: Error) =>
    line.join(owner, async () => {
      await settled()
      order.push(what)
      if (fault) throw fault
      return what
    })
  const all = ['a1', 'a2', 'a3', 'b1', 'a4', 'b2', 'c1'].map(what => send(what.charAt(0), what))
  t.equal(line.waiting, 7)
  t.same(await Promise.all(all), ['a1', 'a2', 'a3', 'b1', 'a4', 'b2', 'c1'])
  t.same(order, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'], 'serves each caller in turn')
  await t.rejects(send('a', 'x', new Error('broken')), { message: 'broken' })
  t.equal(await send('a', 'y'), 'y', 'and continues after a failure')
  t.equal(line.waiting, 0)
  await line.idle()
})

test('A limited resource', async t => {
  const shares = createShares({ all: 10, each: 6 })
  const first = shares.take('a', 6)
  t.equal(shares.take('a', 1), null, 'is not given to one owner only')
  const second = shares.take('b', 4)
  t.equal(shares.take('c', 1), null, 'nor twice')
  first?.[Symbol.dispose]()
  second?.[Symbol.dispose]()
  t.ok(shares.take('d', 100), 'but a single owner gets what it needs')
})
