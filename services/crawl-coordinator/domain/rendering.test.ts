/** Which pages of a run a browser renders, their cost, and the treatment of pages that cannot be rendered. */
import type { RunEvent } from '@tidemark/contracts/run'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { test } from 'tap'
import { messagesOut } from '../policies/order-fetching.ts'
import type { Circumstances } from './circumstances.ts'
import { decide, type RunCommand } from './decide.ts'
import { driveRun } from './driven-run.scene.ts'
import { evolve } from './evolve/evolve.ts'
import { neededUnits } from './needed-units.ts'
import {
  admitted,
  circumstances,
  failed,
  key,
  later,
  lookAfter,
  page,
  queued,
  settle,
  started,
} from './run.examples.ts'
import { type Run, unknown } from './run.ts'

const shell = (path: string, attempt = 1): Outcome =>
  ({ ...page(path), attempt, isScriptOnly: true }) as Outcome
const rendered = (path: string, links: string[] = [], attempt = 2): Outcome =>
  ({ ...page(path, links), attempt, rendered: true }) as Outcome
const plain = (path: string, attempt: number): Outcome => ({ ...page(path), attempt }) as Outcome

/** Returns a run from its first event on, with a minute between commands. */
function running(some: Partial<RunSettings>, allowed: Partial<Circumstances> = {}) {
  const run = driveRun(queued(some))
  const send = (command: RunCommand, afterSeconds?: number) =>
    run
      .send(command, allowed, afterSeconds)
      .map(({ lane, orders }) => [
        lane,
        ...orders.orders.map(({ url, attempt }) => `${new URL(url).pathname} ${attempt}`),
      ])
  return {
    ...run,
    look: (afterSeconds?: number) => send(lookAfter, afterSeconds),
    receive: (...outcomes: Outcome[]) => send(settle(...outcomes)),
    remove: () => send({ type: 'DeleteRun' }),
    retried: () => run.dataOf('PagesRetried').flatMap(({ pages }) => pages),
    settled: () => run.dataOf('PagesSettled').flatMap(({ pages }) => pages),
    finished: () => run.dataOf('RunFinished')[0],
    deleted: () => run.dataOf('RunDeleted')[0],
    attempts: (path: string) => run.attempts(path).map(({ by, outcome, reason }) => [by, outcome, reason]),
  }
}

test('A run without rendering stores a shell as a page', async t => {
  const { look, receive, settled, finished } = running({})
  t.strictSame(look(), [['http', '/ 1']])
  t.strictSame(receive(shell('/')), [])
  t.notOk('isScriptOnly' in (settled()[0] ?? {}))
  t.match(finished(), { status: 'done', totals: { fetched: 1 } })
})

test('A run that renders pages which are empty without scripts', async t => {
  await t.test('renders a shell, and follows the links of the result', async t => {
    const { look, receive, retried, settled, finished, again, attempts } = running({ render: 'auto' })
    look()
    t.strictSame(receive(shell('/')), [['browser', '/ 2']])
    t.match(retried(), [{ key: key('/'), reason: 'script_only', attempt: 2, lane: 'browser' }])
    t.match(messagesOut(again()), [{ id: '1.2', lane: 'browser' }], 'also when it is rebuilt')
    t.strictSame(receive(rendered('/', ['/a', '/b'])), [['http', '/a 1', '/b 1']])
    receive(page('/a'), page('/b'))
    t.match(settled(), [
      { key: key('/'), rendered: true, attempt: 2 },
      { key: key('/a') },
      { key: key('/b') },
    ])
    t.match(finished(), { status: 'done', rendered: 1, totals: { fetched: 3 } })
    t.strictSame(attempts('/'), [
      ['http', 'retried', 'script_only'],
      ['browser', 'fetched', null],
    ])
  })

  await t.test('counts no page twice for repeated outcomes', async t => {
    const { look, receive, run, settled } = running({ render: 'auto' })
    look()
    receive(page('/', ['/a']))
    receive(shell('/a'))
    t.strictSame(receive(shell('/a')), [], 'the plain answer again')
    t.equal(run().rendering.out, 1)
    receive(rendered('/a'), rendered('/a'))
    t.equal(settled().length, 2)
  })

  await t.test('retries transient failures, and uses no browser after permanent ones', async t => {
    const { look, receive, settled, finished, attempts } = running({ render: 'auto' })
    look()
    receive(page('/', ['/a', '/b']))
    t.strictSame(receive(shell('/a'), shell('/b')), [
      ['browser', '/a 2'],
      ['browser', '/b 2'],
    ])
    t.strictSame(receive(failed('/a', 'timeout', true, 2), failed('/b', 'protocol', false, 2)), [
      ['http', '/b 3'],
    ])
    t.strictSame(look(), [['browser', '/a 3']])
    t.strictSame(receive(failed('/a', 'timeout', true, 3)), [['http', '/a 4']])
    t.strictSame(receive(rendered('/a', ['/c'], 3)), [], 'a late outcome is not billed')
    receive(shell('/a', 4), shell('/b', 3))
    t.match(settled(), [{ key: key('/') }, { key: key('/a'), attempt: 4 }, { key: key('/b'), attempt: 3 }])
    t.notOk(finished()?.rendered)
    t.strictSame(attempts('/b').at(-1), ['http', 'fetched', null])
  })

  await t.test('orders no further renderings without a browser', async t => {
    const { look, receive, run, again, settled } = running({ render: 'auto' })
    look()
    receive(page('/', ['/a', '/b', '/c']))
    receive(shell('/a'))
    t.strictSame(receive(failed('/a', 'not_configured', false, 2)), [['http', '/a 3']])
    t.ok(run().rendering.isOff && again().rendering.isOff)
    receive(shell('/b'), shell('/c'), shell('/a', 3))
    t.equal(settled().length, 4)
  })

  await t.test('waits for missing browsers, but not for ever', async t => {
    const { look, receive, finished, retried } = running({ render: 'auto' })
    look()
    receive(shell('/'))
    t.strictSame(look(130), [['browser', '/ 2']], 'again under the same id')
    t.strictSame(look(500), [['http', '/ 3']])
    t.match(retried().at(-1), { reason: 'no_browser', lane: 'http' })
    receive(shell('/', 3))
    t.match(finished(), { status: 'done', totals: { fetched: 1 } })
  })

  await t.test('stores shells as pages when no cloud page is left', async t => {
    const cloudAllowance = { pages: 1, isFinal: true }
    const { look, receive, settled, finished } = running({ render: 'auto' }, { cloudAllowance })
    look()
    receive(page('/', ['/a', '/b', '/c']))
    t.strictSame(receive(shell('/a'), shell('/b')), [['browser', '/a 2']])
    receive(shell('/c'), rendered('/a'))
    t.strictSame(
      settled().map(page => [page.url.slice(-1), page.rendered ?? false]),
      [
        ['/', false],
        ['b', false],
        ['c', false],
        ['a', true],
      ],
    )
    t.match(finished(), { status: 'done', stopReason: 'exhausted', rendered: 1 })
  })

  await t.test('returns to plain pages when another run spends the last cloud page', async t => {
    const given = { cloudAllowance: { pages: 1, isFinal: false } }
    const { look, receive, retried } = running({ render: 'auto' }, given)
    look()
    receive(page('/', ['/a', '/b']))
    t.strictSame(receive(shell('/a'), shell('/b')), [['browser', '/a 2']], 'one waits for capacity')
    given.cloudAllowance.isFinal = true
    t.strictSame(receive(rendered('/a')), [['http', '/b 3']])
    t.match(retried().at(-1), { key: key('/b'), reason: 'cloud_pages_used_up', lane: 'http' })
  })

  await t.test('returns to plain pages in decisions that fit into a message', t => {
    const paths = Array.from({ length: 5_000 }, (_, n) => `/${n}`)
    const shells = paths.map(path => ({
      ...{ key: key(path), reason: 'script_only', attempt: 2, notBefore: later(0) },
      lane: 'browser' as const,
    }))
    const events: RunEvent[] = [
      queued({ render: 'auto', maxPages: 10_000 }),
      started,
      admitted(...paths),
      { type: 'PagesRetried', data: { pages: shells } },
    ]
    let run = events.reduce<Run>((run, event) => evolve(run, event, later(0)), unknown)
    const none = { pages: 0, isFinal: true }
    const retried = [0, 1, 2].map(seconds => {
      const at = later(seconds)
      const decided = decide(run, lookAfter, circumstances({ at, allowance: none, cloudAllowance: none }))
      run = decided.run
      return decided.events.flatMap(({ type, data }) => (type === 'PagesRetried' ? data.pages : [])).length
    })
    t.strictSame(retried, [2_000, 2_000, 1_000])
    t.match(run, { status: 'done', stopReason: 'quota' }, 'only the last decision may end the run')
    t.end()
  })
})

test('A run that renders all', async t => {
  await t.test('orders a rendering of each page, one per message, and bills no plain page', async t => {
    const { look, receive, settled, finished, remove, deleted } = running(
      { render: 'always' },
      { allowance: { pages: 0, isFinal: true } },
    )
    t.strictSame(look(), [['browser', '/ 1']])
    const orders = receive(rendered('/', ['/a', '/b'], 1))
    t.strictSame(orders, [
      ['browser', '/a 1'],
      ['browser', '/b 1'],
    ])
    receive(rendered('/a', [], 1), { ...rendered('/b', [], 1), blocked: true } as Outcome)
    t.equal(settled().length, 3)
    t.match(finished(), { status: 'done', blocked: 1, rendered: 2 })
    remove()
    t.match(deleted(), { billedPages: 0, billedCloudPages: 2 })
  })

  await t.test('fetches robots.txt without a browser', async t => {
    const { look } = running({ render: 'always', respectRobots: true })
    t.strictSame(look(), [['http', '/robots.txt 1']])
  })

  await t.test('falls back to plain fetches if a page cannot be rendered, or without browsers', async t => {
    const { look, receive, settled, attempts } = running({ render: 'always' })
    look()
    receive(rendered('/', ['/a.pdf', '/b'], 1))
    t.strictSame(receive(failed('/a.pdf', 'protocol')), [['http', '/a.pdf 2']])
    t.strictSame(receive(plain('/a.pdf', 2), failed('/b', 'not_configured')), [['http', '/b 2']])
    t.strictSame(receive({ ...plain('/b', 2), links: [[key('/c'), 'https://a.example/c']] } as Outcome), [
      ['http', '/c 1'],
    ])
    t.strictSame(
      settled().map(page => page.rendered ?? false),
      [true, false, false],
    )
    t.strictSame(attempts('/c'), [['http', 'pending', null]])
  })

  await t.test('ends when no cloud page is left', async t => {
    const { look, receive, finished } = running(
      { render: 'always' },
      { cloudAllowance: { pages: 2, isFinal: true } },
    )
    look()
    t.strictSame(receive(rendered('/', ['/a', '/b'], 1)), [['browser', '/a 1']])
    receive(rendered('/a', [], 1))
    t.match(finished(), { status: 'done', stopReason: 'quota', totals: { fetched: 2, notReached: 1 } })
  })

  await t.test('has few orders at browsers, because each takes long', async t => {
    const { look, receive, run } = running({ render: 'always' })
    look()
    receive(
      rendered(
        '/',
        Array.from({ length: 100 }, (_, n) => `/${n}`),
        1,
      ),
    )
    t.equal(run().rendering.out, 8)
    t.equal(run().pending.size, 100)
    const coming = { window: 512, outcomes: [] }
    t.strictSame(neededUnits(run(), coming), { page: 0, cloud_page: 1 + 8 + 16 })
  })
})
