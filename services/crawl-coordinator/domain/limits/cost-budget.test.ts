/** A run never bills more than `max_cost_usd`, and uses it as far as the prices allow. */
import { costOf, unitPrices } from '@tidemark/contracts/prices'
import { test } from 'tap'
import { coverageOf } from '../coverage.ts'
import { retriableOf } from '../reopening.ts'
import { failed, key, redirect, robots, url } from '../run.examples.ts'
import { type Run, spentBy } from '../run.ts'
import { answer, linking, running } from './budget.scene.ts'

const { page, cloud_page: rendered } = unitPrices
const spent = (run: Run): number => {
  if (run.status === 'running') return costOf(spentBy(run), unitPrices)
  return 'totals' in run ? costOf(spentBy({ ...run, counts: run.totals }), unitPrices) : 0
}

test('A run orders only pages that the rest of its budget pays', async t => {
  const { look, receive, run, ended } = running({ maxCost: 3 * page + page / 2 })
  t.strictSame(look(), ['/ 1'])
  t.strictSame(receive(linking('/', '/a', '/b', '/c', '/d')), ['/a 1', '/b 1'])
  t.strictSame(look(), [], 'and no other while these are in flight')
  receive(answer('/a'))
  t.equal(run().status, 'running')
  receive(answer('/b'))
  t.match(ended(), {
    status: 'done',
    stopReason: 'max_cost_usd',
    totals: { discovered: 5, fetched: 3, notReached: 2, pending: 0 },
  })
  t.equal(spent(ended()), 3 * page)
  t.match(coverageOf(ended(), 1), {
    holds: true,
    not_reached: { total: 2, by_limit: { max_cost_usd: 2 } },
    budget: { max_cost_usd: 0.0035, cost_usd: 0.003, max_bytes: null, bytes: null },
  })
})

test('A page that costs nothing returns its price', async t => {
  for (const [name, outcome] of Object.entries({
    'a challenge': answer('/a', { blocked: true }),
    'a failure': failed('/a', 'dns'),
    'a redirect to a known page': redirect('/a', '/'),
  })) {
    const { look, receive, ended } = running({ maxCost: 2 * page })
    look()
    t.strictSame(receive(linking('/', '/a', '/b', '/c')), ['/a 1'])
    t.strictSame(receive(outcome), ['/b 1'], name)
    receive(answer('/b'))
    t.equal(spent(ended()), 2 * page, name)
    t.equal(ended().stopReason, 'max_cost_usd', name)
  }
})

test('A page holds its price while it waits for another attempt', async t => {
  const { look, receive, ended } = running({ maxCost: 2 * page })
  look()
  t.strictSame(receive(linking('/', '/a', '/b')), ['/a 1'])
  t.strictSame(receive(failed('/a', 'timeout', true)), [], 'no other page takes it')
  t.strictSame(look(), ['/a 2'])
  receive(answer('/a', { attempt: 1 }))
  t.match(ended(), { stopReason: 'max_cost_usd', totals: { fetched: 2 } }, 'a late response is paid')
})

test('A page with a server error is paid once, for whichever response counts', async t => {
  await t.test('at the end of the run', async t => {
    const { look, receive, ended } = running({ maxCost: 2 * page })
    look()
    t.strictSame(receive(linking('/', '/a')), ['/a 1'])
    receive(answer('/a', { status: 503 }))
    t.strictSame(look(), ['/a 2'])
    receive(answer('/a', { attempt: 2 }))
    t.match(ended(), { stopReason: 'exhausted', totals: { fetched: 2 } })
    t.equal(spent(ended()), 2 * page)
  })

  await t.test('and counts without its second request if the budget ends the run', async t => {
    const { look, receive, ended } = running({ maxCost: 2 * page })
    look()
    receive(linking('/', '/a', '/b'))
    receive(answer('/a', { status: 503 }))
    t.match(ended(), { stopReason: 'max_cost_usd', totals: { fetched: 2, notReached: 1 } })
    t.equal(spent(ended()), 2 * page)
  })
})

test('A page that may be rendered reserves the price of a rendered page', async t => {
  await t.test('and returns the rest if it needs no browser', async t => {
    const { look, receive, ended } = running({ render: 'auto', maxCost: rendered + page })
    t.strictSame(look(), ['/ 1'])
    t.strictSame(receive(linking('/', '/a', '/b')), ['/a 1'], 'one of two fits')
    receive(answer('/a'))
    t.match(ended(), { stopReason: 'max_cost_usd', totals: { fetched: 2, notReached: 1 } })
    t.equal(spent(ended()), 2 * page, 'the rest pays for no page that may need a browser')
  })

  await t.test('and holds it until it is rendered', async t => {
    const { look, receive, run, ended } = running({ render: 'auto', maxCost: 2 * rendered + page })
    look()
    t.strictSame(receive(linking('/', '/a', '/b', '/c')), ['/a 1', '/b 1'])
    t.strictSame(receive(answer('/a', { isScriptOnly: true })), ['browser /a 2'])
    t.strictSame(receive(answer('/b', { isScriptOnly: true })), ['browser /b 2'])
    receive(answer('/a', { attempt: 2, rendered: true }), answer('/b', { attempt: 2, rendered: true }))
    t.equal(run().status, 'done')
    t.equal(spent(ended()), 2 * rendered + page, 'to the last of it')
  })

  await t.test('and returns the rest if there is no browser', async t => {
    const { look, receive, run } = running({ render: 'auto', maxCost: rendered + page })
    look()
    receive(linking('/', '/a', '/b', '/c'))
    t.strictSame(receive(answer('/a', { isScriptOnly: true })), ['browser /a 2'])
    t.strictSame(receive(failed('/a', 'not_configured', false, 2)), ['/a 3', '/b 1', '/c 1'])
    t.equal(run().cost?.held, 3 * page)
  })

  await t.test('and stays as it is if others have taken that price since its server error', async t => {
    const urls = [url('/a')]
    const { look, receive, ended } = running({ render: 'auto', maxCost: rendered + page, urls })
    look()
    t.strictSame(receive(answer('/', { status: 500 })), ['/a 1'])
    t.strictSame(receive(answer('/a', { isScriptOnly: true })), ['browser /a 2'])
    t.strictSame(receive(answer('/a', { attempt: 2, rendered: true })), ['/ 2'])
    t.strictSame(receive(answer('/', { attempt: 2, isScriptOnly: true })), [])
    t.match(ended(), { stopReason: 'exhausted', totals: { fetched: 2 } })
    t.equal(spent(ended()), rendered + page)
  })

  await t.test('and is rendered after a server error if the rest pays for it', async t => {
    const { look, receive, ended } = running({ render: 'auto', maxCost: rendered })
    look()
    receive(answer('/', { status: 500 }))
    t.strictSame(look(), ['/ 2'])
    t.strictSame(receive(answer('/', { attempt: 2, isScriptOnly: true })), ['browser / 3'])
    receive(answer('/', { attempt: 3, rendered: true }))
    t.equal(spent(ended()), rendered)
  })

  await t.test('and keeps it for a rendered server error that is requested over plain HTTP', async t => {
    const { look, receive, run, ended } = running({ render: 'always', maxCost: rendered + page })
    look()
    receive(answer('/', { status: 500, rendered: true }))
    t.strictSame(look(), ['browser / 2'])
    t.strictSame(receive(failed('/', 'not_configured', false, 2)), ['/ 3'])
    t.equal(run().cost?.held, rendered)
    receive(failed('/', 'dns', false, 3))
    t.equal(spent(ended()), rendered, 'its first response counts')
  })
})

test('A rendered page is paid before it is ordered', async t => {
  const { look, receive, ended } = running({ render: 'always', maxCost: 2 * rendered })
  t.strictSame(look(), ['browser / 1'])
  t.strictSame(
    receive(
      answer('/', {
        rendered: true,
        links: [
          [key('/a'), url('/a')],
          [key('/b'), url('/b')],
        ],
      }),
    ),
    ['browser /a 1'],
  )
  receive(answer('/a', { rendered: true }))
  t.match(ended(), { stopReason: 'max_cost_usd', totals: { fetched: 2, notReached: 1 } })
  t.equal(spent(ended()), 2 * rendered)
})

test('A crash changes neither what is spent nor what is held', async t => {
  const { look, receive, crash, run, ended } = running({ maxCost: 3 * page })
  look()
  receive(linking('/', '/a', '/b', '/c'))
  receive(failed('/a', 'timeout', true))
  const before = run().cost
  crash()
  t.strictSame(run().cost, before)
  t.strictSame(look(), ['/a 2'], 'no other page is ordered')
  receive(answer('/a', { attempt: 2 }), answer('/b'))
  t.match(ended(), { stopReason: 'max_cost_usd', totals: { fetched: 3 } })
})

test('A retry of the failed URLs of a run', async t => {
  await t.test('spends the rest of the same budget', async t => {
    const { look, receive, send, run, ended } = running({ maxCost: 3 * page })
    look()
    receive(linking('/', '/a', '/b', '/c'))
    receive(failed('/a', 'dns'), failed('/b', 'dns'))
    receive(answer('/c'))
    t.match(ended(), { stopReason: 'exhausted', totals: { fetched: 2, failed: 2 } })
    t.strictSame(retriableOf(run()), { nth: 1, retried: 1 }, 'it pays for one of two')
    t.strictSame(send({ type: 'ReopenRun' }), [])
    t.strictSame(look(), ['/a 2'])
    receive(answer('/a', { attempt: 2 }))
    t.equal(spent(ended()), 3 * page)
    t.strictSame(retriableOf(run()), { refused: 'max_cost_reached' })
  })

  await t.test(
    'counts each failed URL with the price of a rendered page if it may need a browser',
    async t => {
      const { look, receive, run } = running({ render: 'auto', maxCost: 2 * page + rendered })
      look()
      receive(linking('/', '/a', '/b'))
      receive(failed('/a', 'dns'))
      receive(failed('/b', 'dns'))
      t.strictSame(retriableOf(run()), { nth: 1, retried: 1 })
    },
  )

  await t.test(
    'reserves the price of a server error that comes late, and bills it if nothing else comes',
    async t => {
      const { look, receive, send, run, ended } = running({ maxCost: 2 * page })
      look()
      receive(linking('/', '/a'))
      receive(failed('/a', 'dns'))
      send({ type: 'ReopenRun' })
      receive(answer('/a', { status: 500 }))
      t.equal(run().cost?.held, page)
      t.strictSame(look(), ['/a 3'])
      receive(failed('/a', 'dns', false, 3))
      t.equal(spent(ended()), 2 * page)
    },
  )

  await t.test('bills a late response that takes the last of the budget', async t => {
    const { look, receive, send, ended } = running({ maxCost: 2 * page })
    look()
    receive(linking('/', '/a'))
    receive(failed('/a', 'dns'))
    send({ type: 'ReopenRun' })
    receive(answer('/a'))
    t.match(ended(), { stopReason: 'exhausted', totals: { fetched: 2, failed: 0 } })
  })

  await t.test('does not bill a late response whose price another page has taken', async t => {
    const other = 'https://b.a.example/'
    const some = { maxCost: 3 * page, respectRobots: true, subdomains: true }
    const { look, receive, send, run, ended } = running(some)
    look()
    receive(robots(''))
    receive(linking('/', '/a', other))
    receive(robots('', 200, 'https://b.a.example'))
    receive(failed('/a', 'dns'), failed(other, 'dns'))
    send({ type: 'ReopenRun' })
    look()
    t.strictSame(receive(robots('')), ['/a 2'])
    t.strictSame(receive(answer('/a', { attempt: 2, links: [[key('/x'), url('/x')]] })), ['/x 1'])
    receive(answer(other))
    t.equal(run().counts.fetched, 2, 'the response of the first attempt is not a page')
    receive(answer('/x'))
    t.match(ended(), { stopReason: 'max_cost_usd', totals: { fetched: 3, notReached: 1 } })
  })
})

test('An order in flight at the end of a run holds nothing after its retry', async t => {
  const { look, receive, send, run } = running({ maxCost: 4 * page }, { runLimitMs: 150_000 })
  look()
  receive(linking('/', '/a', '/b', '/c'))
  receive(failed('/a', 'dns'))
  look()
  t.equal(run().status, 'done')
  send({ type: 'ReopenRun' })
  t.equal(run().cost?.held, 0)
  t.strictSame(look(), ['/a 2'])
})
