/** A fork: pages that its base has are taken from the store, and all others are fetched. */
import type { RunSettings } from '@tidemark/contracts/run-settings'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { type StoredAnswer, staleCopy } from '@tidemark/contracts/work/revisit'
import { test } from 'tap'
import { type messagesFor, messagesOut } from '../../policies/order-fetching.ts'
import type { Circumstances } from '../circumstances.ts'
import { coverageOf } from '../coverage.ts'
import type { RunCommand } from '../decide.ts'
import { driveRun } from '../driven-run.scene.ts'
import { neededUnits } from '../needed-units.ts'
import { at, failed, key, lookAfter, page, queued, settle, url } from '../run.examples.ts'
import { isKnown, spentBy } from '../run.ts'
import { viewOf } from '../view.ts'

const base = 41
const before = '2026-01-01T00:00:00.000Z'

const stored = (...paths: string[]): Map<string, StoredAnswer> =>
  new Map(paths.map(path => [key(path), { status: 200, fetchedAt: before }]))

const carried = (path: string, links: string[] = [], some: object = {}): Outcome =>
  ({ ...page(path, links), fetchedAt: before, carried: { since: base }, ...some }) as Outcome

/** Returns a fork from its first event on: commands, and the orders that follow. */
function fork(pages: Map<string, StoredAnswer>, some: Partial<RunSettings> = {}) {
  const run = driveRun(queued({ fork: { runId: base }, ...some }))
  const carryOut = (command: RunCommand, more: Partial<Circumstances> = {}) =>
    run.send(command, { stored: pages, ...more })
  return {
    ...run,
    start: (more?: Partial<Circumstances>) => carryOut(lookAfter, more),
    receive: (...outcomes: Outcome[]) => carryOut(settle(...outcomes)),
    receiveWith: (more: Partial<Circumstances>, ...outcomes: Outcome[]) =>
      carryOut(settle(...outcomes), more),
    carryOut,
    end: () => run.dataOf('RunFinished').at(-1),
  }
}

const keysOf = (messages: ReturnType<typeof messagesFor>) =>
  messages.map(({ orders }) => orders.orders.map(order => [order.url, order.stored?.runId ?? null]))
const fromStore = (path: string) => [url(path), base]
const fromSite = (path: string) => [url(path), null]

test('A fork', async t => {
  await t.test('takes the pages of its base from the store, and fetches the others', async t => {
    const { start, receive, again, run, end, dataOf } = fork(stored('/', '/a', '/b'))
    const [first] = start()
    t.match(first, {
      id: '1.1',
      lane: 'http',
      known: { length: 0 },
      orders: {
        orders: [{ key: key('/'), attempt: 1, stored: { runId: base, status: 200, fetchedAt: before } }],
      },
    })
    t.strictSame(keysOf(receive(carried('/', ['/a', '/new', '/b']))), [
      [fromStore('/a'), fromStore('/b')],
      [fromSite('/new')],
    ])
    t.strictSame(keysOf(messagesOut(again())), [[fromStore('/a'), fromStore('/b')], [fromSite('/new')]])
    receive(page('/new'), carried('/b'), carried('/a'))
    const settled = dataOf('PagesSettled').flatMap(({ pages }) => pages)
    t.match(settled, [
      { key: key('/'), fetchedAt: before, carried: { since: base } },
      { key: key('/new'), fetchedAt: at },
      { key: key('/b'), carried: { since: base } },
      { key: key('/a'), carried: { since: base } },
    ])
    t.notOk(settled[1] && 'carried' in settled[1])
    t.match(end(), { status: 'done', stopReason: 'exhausted', carried: 3, totals: { fetched: 4 } })
    for (const ended of [run(), again()]) {
      t.match(viewOf(ended), { forked_from: base, pages_reused: 3, page_count: 4 })
      t.match(isKnown(ended) ? coverageOf(ended, 9) : null, { fetched: 4, pages_reused: 3, holds: true })
    }
  })

  await t.test('knows as many URLs as a fresh crawl with its settings', async t => {
    const links = Array.from({ length: 12_000 }, (_, n) => `/${'x'.repeat(60)}${n}`)
    const { start, receive, run } = fork(stored('/'), { maxPages: 20_000 })
    start()
    receive(carried('/', links))
    t.equal(run().states.size, 12_001)
    t.notOk(run().isFull)
  })

  await t.test('is billed for the fetched pages only, even if it is deleted on the way', async t => {
    const { start, receive, carryOut, events, run } = fork(stored('/', '/a'))
    start()
    receive(carried('/', ['/a', '/new', '/other']))
    receive(carried('/a', [], { blocked: true, rendered: true }), page('/new'))
    t.strictSame(spentBy(run()), { page: 1, cloud_page: 0 })
    carryOut({ type: 'DeleteRun' })
    t.match(events().at(-1), { type: 'RunDeleted', data: { billedPages: 1 } })
  })

  await t.test('drops only requests of sites when it is cancelled', async t => {
    const { start, receive, carryOut, end } = fork(stored('/', '/a', '/b'))
    start()
    receive(carried('/', ['/a', '/b', '/new']))
    carryOut({ type: 'CancelRun' })
    t.match(end(), { status: 'cancelled', dropped: 1 })
  })

  await t.test('waits for no host with a page from the store', async t => {
    const { start, receive } = fork(stored('/', '/a', '/b', '/c'), { delayMs: 60_000 })
    start()
    const messages = receive(carried('/', ['/new', '/a', '/b', '/c', '/newer', '/newest']))
    t.strictSame(keysOf(messages)[0], [fromStore('/a'), fromStore('/b'), fromStore('/c')])
    t.ok(messages.length < 5, 'the host has its usual window')
  })

  await t.test('takes pages from the store that no budget would pay', async t => {
    const paths = ['/a', '/b', '/c']
    const { start, receive, run, end } = fork(stored('/', ...paths), { maxCost: 1_000, maxBytes: 4 })
    start()
    t.equal(run().cost?.held, 0)
    t.equal(run().bytes?.held, 0)
    t.strictSame(keysOf(receive(carried('/', ['/new', '/newer', ...paths]))), [
      paths.map(fromStore),
      [fromSite('/new')],
    ])
    receive(page('/new'), ...paths.map(path => carried(path)))
    t.match(end(), { stopReason: 'max_cost_usd', carried: 4, totals: { fetched: 5, notReached: 1 } })
    const after = fork(stored('/', ...paths), { maxBytes: 4 })
    after.start()
    after.receive(carried('/', ['/new', '/newer', ...paths]))
    after.receive(page('/new'), ...paths.map(path => carried(path)))
    t.match(after.end(), { stopReason: 'max_bytes', totals: { fetched: 5, notReached: 1 } })
  })

  await t.test('waits at a limit for sitemaps that may list pages of the store', async t => {
    const sitemap = (path: string, links: string[], sitemaps: string[] = []): Outcome => ({
      ...{ type: 'sitemap', runId: 1, key: key(path), attempt: 1, status: 200, cut: null },
      links: links.map(each => [key(each), url(each)]),
      sitemaps: sitemaps.map(each => [key(each), url(each)]),
    })
    const { start, receive, end } = fork(stored('/a'), { seedKind: 'sitemap', maxCost: 1_000 })
    start()
    receive(sitemap('/sitemap.xml', [], ['/one.xml', '/two.xml']))
    receive(sitemap('/one.xml', ['/new', '/newer']))
    receive(page('/new'))
    t.equal(end(), undefined)
    t.strictSame(keysOf(receive(sitemap('/two.xml', ['/a']))), [[fromStore('/a')]])
    receive(carried('/a'))
    t.match(end(), { stopReason: 'max_cost_usd', carried: 1, totals: { fetched: 2, notReached: 1 } })
  })

  await t.test('takes pages from the store without any quota, and then ends', async t => {
    const none = { allowance: { pages: 0, isFinal: true } }
    const { start, receiveWith, run, end } = fork(stored('/', '/a'))
    t.strictSame(keysOf(start(none)), [[fromStore('/')]])
    t.equal(neededUnits(run(), { window: 8, outcomes: [] }).page, 0)
    t.strictSame(keysOf(receiveWith(none, carried('/', ['/new', '/a']))), [[fromStore('/a')]])
    receiveWith(none, carried('/a'))
    t.match(end(), { stopReason: 'quota', carried: 2, totals: { fetched: 2, notReached: 1 } })
  })

  await t.test('fetches a page that the store has lost, with as many attempts as any other', async t => {
    for (const reason of [staleCopy, 'given_up', 'unstorable', 'too_large']) {
      const { start, receive, run, again, end } = fork(stored('/'), { maxCost: 1_000 })
      start()
      t.strictSame(keysOf(receive(failed('/', reason, reason === staleCopy))), [[fromSite('/')]])
      t.equal(run().cost?.held, 1_000)
      t.match(messagesOut(again()), [{ orders: { orders: [{ attempt: 2 }] } }])
      receive(failed('/', 'timeout', true, 2))
      receive(failed('/', 'timeout', true, 3))
      t.equal(end(), undefined)
      receive(failed('/', 'timeout', true, 4))
      t.match(end(), { status: 'failed', totals: { failed: 1 } })
    }
  })

  await t.test('fetches a page whose order from the store is never answered', async t => {
    const { start, carryOut, end } = fork(stored('/'))
    start()
    let sent: ReturnType<typeof keysOf> = []
    for (let minute = 30; minute < 3_000 && !sent.flat().some(([, base]) => base === null); minute += 30) {
      const later = new Date(Date.parse(at) + minute * 60_000).toISOString()
      sent = keysOf(carryOut(lookAfter, { at: later }))
    }
    t.strictSame(sent, [[fromSite('/')]])
    t.equal(end(), undefined)
  })

  await t.test('fetches a page again that an earlier version has fetched unpaid', async t => {
    const { start, receive, run } = fork(stored('/'))
    start()
    t.strictSame(keysOf(receive(page('/', ['/a']))), [[fromSite('/')]])
    t.equal(run().counts.fetched, 0)
  })

  await t.test('takes a page that a browser has rendered, and renders one that is lost', async t => {
    const pages = stored('/', '/a')
    for (const answer of pages.values()) answer.rendered = true
    const { start, receive, run, again, end } = fork(pages, { render: 'always' })
    t.match(start(), [{ lane: 'http', orders: { orders: [{ stored: { rendered: true } }] } }])
    const messages = receive(carried('/', ['/new', '/a'], { rendered: true }))
    t.match(messages, [
      { lane: 'http', orders: { orders: [{ url: url('/a') }] } },
      { lane: 'browser', orders: { orders: [{ url: url('/new') }] } },
    ])
    t.match(run().rendering, { pending: 1, out: 1 })
    t.match(receive(failed('/a', staleCopy, true)), [{ lane: 'browser' }])
    for (const one of [run(), again()]) {
      t.match(one.rendering, { pending: 2, out: 2 })
      t.match([one.out, one.storedOut], [2, 0])
    }
    receive({ ...page('/new'), rendered: true } as Outcome)
    receive({ ...page('/a'), rendered: true, attempt: 2 } as Outcome)
    t.match(end(), { rendered: 2, carried: 1 })
  })

  await t.test('keeps an error page of its base, and the pages that need scripts', async t => {
    const { start, receive, end } = fork(stored('/', '/a'), { render: 'auto' })
    start()
    receive(carried('/', ['/a'], { isScriptOnly: true }))
    receive(carried('/a', [], { status: 503 }))
    t.match(end(), { status: 'done', carried: 2 })
  })

  await t.test('sends its lost orders again as they were', async t => {
    const { start, carryOut, run } = fork(stored('/'))
    start()
    t.strictSame(keysOf(carryOut(lookAfter, { at: '2026-01-02T04:04:05.000Z' })), [[fromStore('/')]])
    t.match([run().out, run().storedOut], [1, 1])
  })

  await t.test('explains where a page comes from', async t => {
    const { start, receive, attempts } = fork(stored('/'))
    start()
    receive(failed('/', staleCopy, true))
    receive({ ...page('/'), attempt: 2 } as Outcome)
    t.match(attempts('/'), [
      { by: 'store', outcome: 'retried', reason: staleCopy },
      { by: 'http', outcome: 'fetched' },
    ])
  })

  await t.test('judges the links by its own settings', async t => {
    const { start, receive, end } = fork(stored('/', '/a', '/b'), { maxPages: 2 })
    start()
    t.strictSame(keysOf(receive(carried('/', ['/b', '/a']))), [[fromStore('/b')]])
    receive(carried('/b'))
    t.match(end(), { stopReason: 'max_pages', carried: 2, totals: { notReached: 1 } })
  })
})
