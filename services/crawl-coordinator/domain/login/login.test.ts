/** The login of a run: it precedes all other orders, and the run ends without it. */
import type { RunLogin, RunSettings } from '@tidemark/contracts/run-settings'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { test } from 'tap'
import { messagesOut } from '../../policies/order-fetching.ts'
import { coverageOf } from '../coverage.ts'
import { driveRun } from '../driven-run.scene.ts'
import { page, queued, redirect } from '../run.examples.ts'
import { loginKey } from './login.ts'

const sealed = 'sealed2.0a1b2c3d.c2VhbGVk'
const loggedOut = { selector: 'form#login', redirect: 'https://a.example/login', status: 401 }
const ofLogin = (attempt: number) => ({ runId: 1, key: loginKey, attempt })
const loggedIn = (attempt = 1): Outcome => ({ type: 'logged_in', ...ofLogin(attempt), session: sealed })
const refused = (attempt = 1): Outcome => ({
  type: 'login_failed',
  ...ofLogin(attempt),
  because: 'login.steps[1] (wait_for #a) found no element within 10000 ms',
})
const failed = (reason: string, transient: boolean, attempt = 1): Outcome => ({
  type: 'failed',
  ...{ ...ofLogin(attempt), reason, transient, retryAfterMs: 0 },
})

/** Returns a run with a login from its first event on, with a minute between commands. */
function running(some: Partial<RunSettings> = {}, login: Partial<RunLogin> = {}) {
  const run = driveRun(queued({ login: { steps: sealed, loggedOut, ...login }, ...some }))
  return {
    ...run,
    change: (type: 'PauseRun' | 'ResumeRun' | 'ReopenRun') => run.send({ type }),
    finished: () => run.dataOf('RunFinished'),
    coverage: () => coverageOf(run.ended(), 1),
    text: () => JSON.stringify(run.events()),
  }
}

test('The login of a run', t => {
  t.test('is ordered from a browser before anything else, with its sealed steps', t => {
    const run = running({ respectRobots: true })
    const [order, ...more] = run.look()
    t.strictSame(more, [])
    t.match(order, { id: '1.login.1', lane: 'browser', orders: { login: sealed } })
    t.match(order?.orders.orders, [{ kind: 'login', key: loginKey, attempt: 1 }])
    t.strictSame(run.look(1), [], 'while it is in flight, nothing else is ordered')
    t.match(run.receive(loggedIn()), [{ orders: { orders: [{ kind: 'robots' }] } }])
    t.end()
  })

  t.test('accompanies the orders of pages by the number of its attempt', t => {
    const run = running({}, { loggedOut: { selector: 'form#login' } })
    run.look()
    const [first] = run.receive(loggedIn())
    t.match(first, { session: 1, orders: { loggedOut: 'form#login' } })
    t.notOk(first && 'login' in first.orders, 'without its steps')
    t.match(messagesOut(run.again()), [first], 'also when the run is read again')
    t.notMatch(run.text(), /"session"/, 'no event contains the session')
    t.strictSame(run.receive(loggedIn()), [], 'a second result changes nothing')
    t.end()
  })

  t.test('is tried three times if the browser cannot open the page', t => {
    const run = running()
    run.look()
    run.receive(failed('connect', true))
    t.match(run.look(), [{ id: '1.login.2' }])
    t.strictSame(
      run.receive(failed('connect', true, 1)),
      [],
      'a late result of an earlier attempt is ignored',
    )
    run.receive(failed('connect', true, 2))
    t.match(run.look(), [{ id: '1.login.3' }])
    run.receive(failed('connect', true, 3))
    t.match(run.finished(), [
      { status: 'failed', errorReason: 'login_failed', errorMessage: /connect|connection/ },
    ])
    t.end()
  })

  t.test('ends the run before its first page if a step fails', t => {
    const run = running()
    run.look()
    run.receive(refused())
    const [end] = run.finished()
    t.match(end, { status: 'failed', stopReason: 'failed', errorReason: 'login_failed' })
    t.match(end?.errorMessage, /no page was fetched\. login\.steps\[1\] \(wait_for #a\) found no element/)
    t.match(end?.totals, { discovered: 1, fetched: 0, notReached: 1, pending: 0 })
    t.match(run.coverage(), { holds: true, not_reached: { by_limit: { failed: 1 } } })
    t.end()
  })

  t.test('is sent again after a silence, and fails after ten minutes without a browser', t => {
    const run = running()
    run.look()
    t.match(run.look(130), [{ id: '1.login.1' }])
    t.strictSame(run.finished(), [])
    run.look(500)
    t.match(run.finished(), [{ errorReason: 'login_failed', errorMessage: /no browser/ }])
    t.end()
  })

  t.test('is not tried again if it fails during a pause', t => {
    const run = running()
    run.look()
    run.change('PauseRun')
    run.receive(refused())
    t.strictSame([run.look(700), run.look(700), messagesOut(run.again())], [[], [], []])
    run.change('ResumeRun')
    run.look()
    t.match(run.finished(), [{ errorReason: 'login_failed', errorMessage: /found no element/ }])
    t.match(run.again(), { status: 'failed', errorReason: 'login_failed' })
    t.end()
  })

  t.test('is lost by each of its signs, and the page with the sign is no page of the run', t => {
    const isLoggedOut = { ...page('/b'), isLoggedOut: true } as Outcome
    for (const [sign, text] of [
      [isLoggedOut, /the element form#login was found at https:\/\/a\.example\/b/],
      [redirect('/b', '/login?next=b'), /a redirect led to https:\/\/a\.example\/login\?next=b at/],
      [page('/b', [], 401), /the status was 401 at/],
    ] as const) {
      const run = running()
      run.look()
      run.receive(loggedIn())
      run.receive(page('/', ['/a', '/b', '/c']))
      run.receive(page('/a'), sign)
      t.match(run.finished(), [{ status: 'failed', errorReason: 'logged_out', errorMessage: text }])
      t.match(run.coverage(), {
        holds: true,
        fetched: 2,
        failed: { total: 1, by_reason: { logged_out: 1 } },
        not_reached: { total: 1, by_limit: { failed: 1 } },
      })
      const read = run.again()
      t.match(read, { status: 'failed', errorReason: 'logged_out' }, 'its events lead to the same run')
      run.receive(page('/c'))
      t.equal(run.finished().length, 1, 'later outcomes are ignored')
    }
    t.end()
  })

  t.test('is lost while orders are in flight, and first answers of the run become pages', t => {
    const run = running()
    run.look()
    run.receive(loggedIn())
    run.receive(page('/', ['/a', '/b', '/c', '/d']))
    run.receive(page('/a', [], 500), page('/b', [], 500))
    run.receive(page('/c', [], 401))
    t.match(run.finished(), [{ errorReason: 'logged_out', totals: { fetched: 3, failed: 1, notReached: 1 } }])
    t.end()
  })

  t.test('is not lost by other redirects and statuses, nor in a run without a login', t => {
    const run = running()
    run.look()
    run.receive(loggedIn())
    run.receive(page('/', ['/a', '/b']))
    run.receive(page('/a', [], 403), redirect('/b', '/login/help'))
    t.strictSame(run.finished(), [])
    const plain = running({ login: undefined as never })
    plain.look()
    plain.receive(page('/', [], 401))
    t.match(plain.finished(), [{ status: 'done' }])
    t.end()
  })

  t.test('is made again when the run is reopened', t => {
    const run = running()
    run.look()
    run.receive(loggedIn())
    run.receive(page('/', ['/a']))
    run.receive(page('/a', [], 401))
    t.match(run.finished(), [{ errorReason: 'logged_out' }])
    run.change('ReopenRun')
    t.match(run.look(), [{ id: '1.login.2' }], 'with a number of its own')
    run.receive(page('/a', [], 401))
    const [again] = run.receive(loggedIn(2))
    t.match(again, { session: 2, orders: { orders: [{ url: 'https://a.example/a' }] } })
    run.receive(page('/a', [], 401))
    t.equal(run.finished().length, 1, 'the sign of the earlier session does not end it')
    run.receive({ ...page('/a'), attempt: 2 })
    t.match(run.finished().at(-1), { status: 'done', totals: { fetched: 2, failed: 0 } })
    t.end()
  })

  t.test('that is lost during a pause ends the run when it resumes', t => {
    const run = running()
    run.look()
    run.receive(loggedIn())
    run.receive(page('/', ['/a', '/b']))
    run.change('PauseRun')
    run.receive(page('/a', [], 401))
    t.strictSame(run.finished(), [])
    run.change('ResumeRun')
    run.look()
    t.match(run.finished(), [{ errorReason: 'logged_out' }])
    t.end()
  })
  t.end()
})
