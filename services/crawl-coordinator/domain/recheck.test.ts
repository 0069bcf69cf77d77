/** A page with a server error is requested a second time at the end of its run. */
import type { PageResponse } from '@tidemark/contracts/run'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { test } from 'tap'
import { messagesOut } from '../policies/order-fetching.ts'
import type { Circumstances } from './circumstances.ts'
import { coverageOf } from './coverage.ts'
import type { RunCommand } from './decide.ts'
import { driveRun, ordersIn } from './driven-run.scene.ts'
import { neededUnits } from './needed-units.ts'
import { nextCheck } from './orders.ts'
import {
  circumstances,
  failed,
  key,
  later,
  lookAfter,
  page,
  queued,
  redirect,
  settle,
} from './run.examples.ts'

type Page = Extract<Outcome, { type: 'page' }>

const answer = (path: string, status: number, some: Partial<Page> & { to?: string[] } = {}): Outcome => {
  const { to = [], ...more } = some
  return { ...(page(path, to, status) as Page), ...more }
}

/** Returns a run from its first event on, with ten seconds between commands. */
function running(some: Partial<RunSettings> = {}, allowed: Partial<Circumstances> = {}) {
  const run = driveRun(queued(some), { pauseSeconds: 10 })
  let permitted = allowed
  const send = (command: RunCommand, afterSeconds?: number) =>
    ordersIn(run.send(command, permitted, afterSeconds))
  return {
    ...run,
    look: (afterSeconds?: number) => send(lookAfter, afterSeconds),
    receive: (...outcomes: Outcome[]) => send(settle(...outcomes)),
    receiveAtOnce: (...outcomes: Outcome[]) => send(settle(...outcomes), 0),
    cancel: () => send({ type: 'CancelRun' }),
    allow(now: Partial<Circumstances>) {
      permitted = now
    },
    nextLookIn: () =>
      (nextCheck(run.run(), circumstances().runLimitMs) - Date.parse(later(run.seconds()))) / 1000,
    retried: () => run.dataOf('PagesRetried').flatMap(({ pages }) => pages),
    failures: () => run.dataOf('PagesFailed').flatMap(({ pages }) => pages),
    settled: () =>
      run
        .dataOf('PagesSettled')
        .flatMap(({ pages }) =>
          pages.map(({ url, status, attempt = 1 }) => `${new URL(url).pathname} ${status} ${attempt}`),
        ),
    ids: () => run.dataOf('PagesSettled').flatMap(({ pages }) => pages.map(({ id }) => id)),
    finished: () => run.dataOf('RunFinished')[0],
    attempts: (path: string) => run.attempts(path).map(({ outcome, reason }) => [outcome, reason]),
  }
}

test('A page that answers with a server error', async t => {
  await t.test('is requested again when nothing else is left, and the second answer counts', async t => {
    const { look, receive, run, again, retried, settled, finished, attempts, nextLookIn } = running()
    look()
    receive(page('/', ['/a', '/b', '/c']))
    t.strictSame(receive(answer('/a', 500, { to: ['/error'] }), answer('/b', 503)), [])
    t.match(retried(), [
      { key: key('/a'), reason: 'http_500', attempt: 2, answer: { status: 500 } },
      { key: key('/b'), reason: 'http_503', attempt: 2, answer: { status: 503 } },
    ])
    t.strictSame(look(), [], 'not while another page is out')
    t.equal(coverageOf(run(), 1).pending, 3)
    t.strictSame(receive(page('/c', ['/d'])), ['/d 1'], 'nor before the pages it links to')
    t.strictSame(receive(page('/d')), ['/a 2', '/b 2'])
    t.strictSame(
      messagesOut(again()).flatMap(({ orders }) => orders.orders.map(({ attempt }) => attempt)),
      [2, 2],
      'also when the run is rebuilt from its events',
    )
    t.ok(nextLookIn() > 100, 'and then it waits')
    t.strictSame(receive(answer('/a', 200, { attempt: 2 })), [])
    t.strictSame(receive(answer('/b', 502, { attempt: 2, to: ['/e'] })), ['/e 1'], 'whose links count too')
    receive(page('/e'))
    t.strictSame(settled(), ['/ 200 1', '/c 200 1', '/d 200 1', '/a 200 2', '/b 502 2', '/e 200 1'])
    t.match(finished(), { status: 'done', stopReason: 'exhausted', totals: { discovered: 6, fetched: 6 } })
    t.strictSame(attempts('/b'), [
      ['retried', 'http_503'],
      ['fetched', null],
    ])
  })

  await t.test('waits at least a second, as the seed', async t => {
    const { look, receive, receiveAtOnce, settled, finished, nextLookIn } = running()
    look()
    t.strictSame(receiveAtOnce(answer('/', 500)), [])
    t.equal(nextLookIn(), 1)
    t.strictSame(look(1), ['/ 2'])
    receive(answer('/', 500, { attempt: 2 }))
    t.strictSame(settled(), ['/ 500 2'])
    t.match(finished(), { status: 'done', totals: { fetched: 1 } })
  })

  await t.test('leads to further pages, each of which has a second request of its own', async t => {
    const { look, receive, settled } = running()
    look()
    receive(page('/', ['/a']))
    receive(answer('/a', 500))
    look()
    t.strictSame(receive(answer('/a', 200, { attempt: 2, to: ['/b', '/c'] })), ['/b 1', '/c 1'])
    t.strictSame(receive(answer('/b', 500)), [])
    t.strictSame(receive(page('/c')), ['/b 2'])
    receive(answer('/b', 500, { attempt: 2 }))
    t.strictSame(settled().slice(1), ['/a 200 2', '/c 200 1', '/b 500 2'])
  })

  await t.test('changes nothing when its first answer comes twice', async t => {
    const { look, receive, retried, settled } = running()
    look()
    receive(page('/', ['/a', '/b']))
    receive(answer('/a', 500))
    t.strictSame(receive(answer('/a', 500)), [])
    receive(page('/b'))
    receive(answer('/a', 500))
    t.equal(retried().length, 1)
    t.equal(settled().length, 2)
    receive(answer('/a', 500, { attempt: 2 }))
    t.strictSame(settled().at(-1), '/a 500 2')
  })

  await t.test('keeps its first answer if there is no second one', async t => {
    const { look, receive, retried, settled, failures, finished } = running()
    look()
    receive(page('/', ['/a', '/b']))
    receive(answer('/a', 500), answer('/b', 503))
    look()
    receive(failed('/a', 'timeout', true, 2), failed('/b', 'tls', false, 2))
    t.match(retried().at(-1), { key: key('/a'), reason: 'timeout', attempt: 3 })
    t.strictSame(settled().at(-1), '/b 503 1')
    t.strictSame(look(), ['/a 3'])
    receive(failed('/a', 'timeout', true, 3))
    t.strictSame(settled().at(-1), '/a 500 1')
    t.strictSame(failures(), [])
    t.match(finished(), { status: 'done', totals: { fetched: 3, failed: 0 } })
  })

  await t.test('keeps it too if the second request meets a loop of redirects', async t => {
    const { look, receive, settled, failures, finished } = running()
    look()
    receive(page('/', ['/a', '/b', '/c']))
    receive(redirect('/b', '/a'), answer('/a', 500), answer('/c', 500))
    t.strictSame(look(), ['/a 2', '/c 2'])
    const loop = { ...redirect('/a', '/b'), attempt: 2 } as Outcome
    t.strictSame(receive(loop), [])
    t.strictSame(receive(loop), [], 'also if it is delivered again')
    t.strictSame([settled(), failures()], [['/ 200 1', '/a 500 1'], []])
    receive(answer('/c', 200, { attempt: 2 }))
    t.match(finished(), { status: 'done', totals: { fetched: 3, failed: 0, duplicate: 1 } })
  })

  await t.test('keeps it too if the second request has no outcome for hours', async t => {
    const { look, receive, settled, failures, finished } = running()
    look()
    receive(answer('/', 500))
    look()
    for (let times = 0; times < 25; times++) look(1_800)
    t.strictSame([settled(), failures()], [['/ 500 1'], []])
    t.match(finished(), { status: 'done' })
  })

  await t.test('holds its slot of max_pages', async t => {
    const { look, receive, settled, finished } = running({ maxPages: 3 })
    look()
    t.strictSame(receive(page('/', ['/a', '/b', '/c'])), ['/a 1', '/b 1'])
    t.strictSame(receive(answer('/a', 500), page('/b')), [])
    t.strictSame(look(1), ['/a 2'])
    receive(answer('/a', 500, { attempt: 2 }))
    t.equal(settled().length, 3)
    t.match(finished(), { stopReason: 'max_pages', totals: { fetched: 3, notReached: 1 } })
  })

  await t.test('is not a page with a challenge, nor a missing page', async t => {
    const { look, receive, retried, settled } = running()
    look()
    receive(page('/', ['/a', '/b', '/c']))
    receive(answer('/a', 503, { blocked: true }), answer('/b', 404), answer('/c', 429))
    t.strictSame(retried(), [])
    t.strictSame(settled().slice(1), ['/a 503 1', '/b 404 1', '/c 429 1'])
  })
})

test('A run that ends before its second requests', async t => {
  const first = { pages: 3, isFinal: true }

  await t.test('has the first answers as pages when its allowance is used up', async t => {
    const { look, receive, run, settled, finished } = running({}, { allowance: first })
    look()
    t.strictSame(receive(page('/', ['/a', '/b', '/c'])), ['/a 1', '/b 1'])
    t.match(neededUnits(run(), { window: 512, outcomes: [] }), { page: 4 })
    t.strictSame(receive(answer('/a', 500), answer('/b', 500)), [], 'each of them is paid for')
    t.strictSame(settled(), ['/ 200 1', '/a 500 1', '/b 500 1'])
    t.match(finished(), { status: 'done', stopReason: 'quota', totals: { fetched: 3, notReached: 1 } })
  })

  await t.test('makes them nevertheless if they are billed already', async t => {
    const { look, receive, receiveAtOnce, settled, finished } = running({}, { allowance: first })
    look()
    receive(page('/', ['/a', '/b']))
    t.strictSame(receiveAtOnce(answer('/a', 500), answer('/b', 500)), [])
    t.strictSame(look(1), ['/a 2', '/b 2'])
    receive(answer('/a', 200, { attempt: 2 }), answer('/b', 200, { attempt: 2 }))
    t.strictSame(settled().slice(1), ['/a 200 2', '/b 200 2'])
    t.match(finished(), { stopReason: 'exhausted' })
  })

  await t.test('makes them early if they hold the pages that it waits for', async t => {
    const { look, receive, settled, finished, allow } = running(
      {},
      { allowance: { pages: 2, isFinal: false } },
    )
    look()
    receive(page('/', ['/a', '/b']))
    t.strictSame(receive(answer('/a', 500)), [], 'the ledger grants no page, because it holds one for /a')
    t.strictSame(look(1), ['/a 2'], 'so /a does not wait for /b')
    receive(answer('/a', 200, { attempt: 2 }))
    t.strictSame(settled(), ['/ 200 1', '/a 200 2'])
    t.notOk(finished(), 'the cap is spent now, which the ledger reports with the next request')
    allow({ allowance: { pages: 2, isFinal: true } })
    look()
    t.match(finished(), { status: 'done', stopReason: 'quota', totals: { fetched: 2, notReached: 1 } })
  })

  await t.test('makes them early for a page that is ordered again without quota', async t => {
    const { look, receive, allow } = running({}, { allowance: { pages: 3, isFinal: false } })
    look()
    receive(page('/', ['/a', '/b']))
    receive(answer('/a', 500))
    allow({ allowance: { pages: 2, isFinal: false } })
    receive(failed('/b', 'timeout', true))
    t.strictSame(look(2), ['/a 2'])
  })

  await t.test('does not make them early while another page can be ordered or is in flight', async t => {
    const { look, receive } = running({}, { window: 1, allowance: { pages: 5, isFinal: false } })
    look()
    t.strictSame(receive(page('/', ['/a', '/b', '/c'])), ['/a 1'])
    t.strictSame(receive(answer('/a', 500)), ['/b 1'])
    t.strictSame(look(1), [])
    t.strictSame(receive(page('/b')), ['/c 1'])
  })

  await t.test('does not make them early while an order in flight may return its page', async t => {
    const { look, receive } = running({}, { allowance: { pages: 3, isFinal: false } })
    look()
    t.strictSame(receive(page('/', ['/a', '/b', '/c'])), ['/a 1', '/b 1'])
    t.strictSame(receive(answer('/a', 500)), [])
    t.strictSame(look(1), [], '/b may fail, and then /c is ordered')
    t.strictSame(receive(page('/b')), ['/a 2'])
  })

  await t.test('has the first answers as pages when no byte is left for another one', async t => {
    const { look, receive, receiveAtOnce, settled, finished } = running({ maxBytes: 100 })
    look()
    t.strictSame(receive(page('/', ['/a', '/b', '/c'])), ['/a 1'])
    t.strictSame(receive(answer('/a', 500)), ['/b 1'])
    receiveAtOnce(answer('/b', 200, { bytes: 92 }))
    t.strictSame(settled(), ['/ 200 1', '/b 200 1', '/a 500 1'])
    t.match(finished(), { stopReason: 'max_bytes', totals: { fetched: 3, notReached: 1 } })
  })

  await t.test('does not make them early if the quota cannot grow', async t => {
    const { look, receive, settled, finished } = running({}, { allowance: { pages: 3, isFinal: true } })
    look()
    t.strictSame(receive(page('/', ['/a', '/b', '/c'])), ['/a 1', '/b 1'])
    receive(answer('/a', 500))
    t.strictSame(receive(page('/b')), [])
    t.strictSame(settled(), ['/ 200 1', '/b 200 1', '/a 500 1'])
    t.match(finished(), { stopReason: 'quota', totals: { fetched: 3, notReached: 1 } })
  })

  await t.test('requests it again although other pages of its kind are all the same', async t => {
    const { look, receive, settled } = running()
    look()
    const paths = Array.from({ length: 70 }, (_, n) => `/same/${n}`)
    receive(page('/', [...paths, '/same/broken']))
    receive(answer('/same/broken', 500))
    t.strictSame(receive(...paths.map(path => page(path))), ['/same/broken 2'])
    receive(answer('/same/broken', 200, { attempt: 2 }))
    t.equal(settled().length, 72)
  })

  await t.test('requests the units of each of them', async t => {
    const { look, receive, run } = running()
    look()
    const paths = Array.from({ length: 300 }, (_, n) => `/${n}`)
    receive(page('/', [...paths, '/last']))
    receive(...paths.map(path => answer(path, 500)))
    t.match(neededUnits(run(), { window: 512, outcomes: [] }), { page: 1 + 300 + 1 })
  })

  await t.test('has the first answers as pages when its time is over, in several commits', async t => {
    const { look, receive, run, settled, ids, finished } = running(
      { maxPages: 10_000 },
      { runLimitMs: 3_600_000, window: 10_000, trapsOff: new Set(['equal_content']) },
    )
    look()
    const paths = Array.from({ length: 5_000 }, (_, n) => `/${n}`)
    receive(page('/', [...paths, '/slow']))
    receive(...paths.map(path => answer(path, 500)))
    look(3_600)
    t.equal(settled().length, 1 + 2_000)
    t.equal(nextCheck(run(), 3_600_000), 0, 'the rest immediately')
    look(0)
    look(0)
    t.equal(settled().length, 5_001)
    t.equal(new Set(ids()).size, 5_001)
    t.match(finished(), {
      status: 'done',
      stopReason: 'time_limit',
      totals: { fetched: 5_001, notReached: 1 },
    })
  })

  await t.test('has them when it is cancelled', async t => {
    const { look, receive, cancel, settled, finished } = running()
    look()
    receive(page('/', ['/a', '/b']))
    receive(answer('/a', 500))
    cancel()
    t.strictSame(settled(), ['/ 200 1', '/a 500 1'])
    t.match(finished(), { status: 'cancelled', totals: { fetched: 2, notReached: 1 } })
  })
})

test('A late response of an earlier attempt', async t => {
  for (const status of [200, 500])
    await t.test(
      `with status ${status} is dropped if another page has taken the unit of its page`,
      async t => {
        const { look, receive, settled, run, finished, allow } = running(
          {},
          { allowance: { pages: 2, isFinal: false } },
        )
        look()
        t.strictSame(receive(page('/', ['/a', '/b'])), ['/a 1'])
        t.strictSame(receive(failed('/a', 'timeout', true)), ['/b 1'])
        receive(answer('/a', status))
        t.strictSame(settled(), ['/ 200 1'])
        receive(page('/b'))
        t.strictSame(settled(), ['/ 200 1', '/b 200 1'], 'no more than were granted')
        t.equal(run().rechecks.all, 0)
        allow({ allowance: { pages: 2, isFinal: true } })
        look()
        t.match(finished(), { stopReason: 'quota', totals: { fetched: 2, notReached: 1 } })
      },
    )

  await t.test('is the page while a unit is left', async t => {
    const { look, receive, settled } = running({}, { allowance: { pages: 3, isFinal: false } })
    look()
    receive(page('/', ['/a', '/b']))
    receive(failed('/a', 'timeout', true))
    receive(page('/a'))
    t.strictSame(settled(), ['/ 200 1', '/a 200 1'])
  })
})

test('A rendered page that answers with a server error', async t => {
  const rendered = { rendered: true as const }

  await t.test('is rendered again, and costs one cloud page', async t => {
    const cloudAllowance = { pages: 2, isFinal: true }
    const { look, receive, receiveAtOnce, settled, finished } = running(
      { render: 'always' },
      { cloudAllowance },
    )
    look()
    receive(answer('/', 200, { ...rendered, to: ['/a'] }))
    t.strictSame(receiveAtOnce(answer('/a', 500, rendered)), [])
    t.strictSame(look(1), ['browser /a 2'])
    receive(answer('/a', 500, { ...rendered, attempt: 2 }))
    t.strictSame(settled(), ['/ 200 1', '/a 500 2'])
    t.match(finished(), { stopReason: 'exhausted', rendered: 2 })
  })

  await t.test('holds a cloud page and no other page', async t => {
    const { look, receive, run } = running({ render: 'auto' })
    look()
    receive(page('/', ['/a']))
    t.strictSame(receive(answer('/a', 200, { isScriptOnly: true })), ['browser /a 2'])
    receive(answer('/a', 500, { ...rendered, attempt: 2 }))
    t.strictSame(neededUnits(run(), { window: 512, outcomes: [] }), { page: 1, cloud_page: 1 })
  })

  await t.test('holds its cloud page while others are rendered', async t => {
    const cloudAllowance = { pages: 2, isFinal: true }
    const { look, receive, settled, finished } = running({ render: 'always' }, { cloudAllowance })
    look()
    t.strictSame(receive(answer('/', 200, { ...rendered, to: ['/a', '/b'] })), ['browser /a 1'])
    t.strictSame(receive(answer('/a', 500, rendered)), [])
    t.strictSame(settled(), ['/ 200 1', '/a 500 1'])
    t.match(finished(), { stopReason: 'quota', rendered: 2, totals: { notReached: 1 } })
  })

  await t.test('is fetched without a browser the second time if no browser is left', async t => {
    const { look, receive, run, settled, finished } = running({ render: 'auto' })
    look()
    receive(page('/', ['/a', '/b']))
    const shell = (path: string) => answer(path, 200, { isScriptOnly: true })
    t.strictSame(receive(shell('/a'), shell('/b')), ['browser /a 2', 'browser /b 2'])
    receive(answer('/a', 500, { ...rendered, attempt: 2 }))
    t.strictSame(receive(failed('/b', 'not_configured', false, 2)), ['/b 3'])
    t.equal(run().rendering.pending, 0)
    t.strictSame(receive(answer('/b', 200, { attempt: 3 })), ['/a 3'])
    receive(answer('/a', 500, { attempt: 3 }))
    t.strictSame(settled(), ['/ 200 1', '/b 200 3', '/a 500 3'])
    t.notOk(finished()?.rendered)
  })
})

test('The event of a second request keeps everything for a page of the first answer', t => {
  const { look, receive, retried } = running()
  look()
  receive(answer('/', 500, { title: 'Broken', likeness: 'f'.repeat(16), attempt: 1 }))
  const kept: PageResponse | undefined = retried()[0]?.answer
  t.strictSame(kept, {
    status: 500,
    bytes: 4,
    fetchedAt: later(0),
    contentType: 'text/html',
    title: 'Broken',
    contentHash: '0123456789abcdef'.repeat(4),
    rawHash: '0123456789abcdef'.repeat(4),
    likeness: 'f'.repeat(16),
  })
  t.end()
})
