import { setTimeout as sleep } from 'node:timers/promises'
import type { Terms } from '@tidemark/contracts/limits'
import type { HoldUnits } from '@tidemark/contracts/rpc/usage'
import type { RunCommit, RunEvent } from '@tidemark/contracts/run'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import { subjects } from '@tidemark/contracts/subjects'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { memoryEventStore } from '@tidemark/eventstore/memory.scene'
import type { EventStore } from '@tidemark/eventstore/store'
import { openPatternThread } from '@tidemark/url/pattern-thread'
import tap, { test } from 'tap'
import { pageIds } from '../adapters/page-ids.ts'
import type { OrderMessage } from '../adapters/send-orders.ts'
import { loginKey } from '../domain/login/login.ts'
import { failed, key, page, queued, url } from '../domain/run.examples.ts'
import { cancelRun } from './end-run.ts'
import { foldRun } from './fold-run.ts'
import { doneAtOf, statusOf } from './last-commit.ts'
import { changeRun } from './pause-run.ts'
import { type CalledOff, type Ports, RunKeeper } from './run-keeper.ts'

const subject = subjects.run(1)
const patterns = openPatternThread()
tap.teardown(() => patterns[Symbol.asyncDispose]())
/** The keeper uses the current time, and ends runs that were queued long ago. */
const at = new Date().toISOString()

function keeping(store: EventStore = memoryEventStore(), more: Partial<Ports> = {}) {
  const sent: OrderMessage[] = []
  const ended: (CalledOff | null)[] = []
  const unknown: number[] = []
  const reported: { error: unknown; about: object | undefined }[] = []
  let folds = 0
  let id = 0
  async function reserve(count: number) {
    let left = count
    return () => {
      if (left-- === 0) throw new RangeError('Too few page ids were reserved.')
      return ++id
    }
  }
  const ports: Ports = {
    store,
    fold: runId => {
      folds++
      return foldRun(store, runId)
    },
    ids: { reserve },
    basePages: async () => new Map(),
    hold: async ({ upTo }) => ({ granted: upTo, reason: null }),
    findTerms: async () => null,
    send: messages => sent.push(...messages),
    robotsToken: 'tidemark',
    runLimitMs: 86_400_000,
    trapsOff: new Set(),
    patterns,
    patternTimeMs: 60_000,
    window: () => 512,
    ended: async (_runId, calledOff) => void ended.push(calledOff),
    unknown: runId => void unknown.push(runId),
    report: (error, about) => void reported.push({ error, about }),
    ...more,
  }
  const stop = new AbortController()
  const append = async (...events: RunEvent[]) => {
    const { version } = await store.load(subject)
    await store.append<RunCommit>(subject, version, { at, events })
  }
  const events = async () =>
    (await store.load<RunCommit>(subject)).commits.flatMap(({ commit }) =>
      commit.events.map(({ type }) => type),
    )
  return {
    store,
    sent,
    ended,
    unknown,
    reported,
    folds: () => folds,
    ports,
    stop,
    append,
    events,
    keeper: new RunKeeper(1, ports, stop.signal),
  }
}

const seedOrder = [{ id: '1.1', urls: [url('/')] }]
const urlsOf = (messages: OrderMessage[]) =>
  messages.map(({ id, orders }) => ({ id, urls: orders.orders.map(order => order.url) }))

test('The keeper of a run', async t => {
  t.test('appends a decision before it sends orders', async t => {
    const { keeper, append, events, sent } = keeping()
    await append(queued())
    await keeper.lookAfter()
    t.strictSame(await events(), ['RunQueued', 'RunStarted', 'PagesAdmitted', 'PagesOrdered'])
    t.strictSame(urlsOf(sent), seedOrder)
  })

  t.test('notices within seconds what another instance did to a paused run, without its message', async t => {
    const { keeper, append, store, ended, events } = keeping()
    await append(queued())
    await keeper.lookAfter()
    await keeper.pause()
    t.ok(keeper.dueAt <= performance.now() + 10_000, 'a check is due')
    await keeper.lookAfter()
    t.equal(keeper.sharer, null)
    t.ok(keeper.dueAt > performance.now() && keeper.dueAt <= performance.now() + 10_000, 'and another one')
    await keeping(store).keeper.resume()
    await keeper.lookAfter()
    t.not(keeper.sharer, null, 'it resumes')
    await keeper.pause()
    await keeping(store).keeper.cancel()
    await keeper.lookAfter()
    t.strictSame(ended, ['for_good'], 'it ends')
    t.strictSame((await events()).slice(-4), ['RunPaused', 'RunResumed', 'RunPaused', 'RunFinished'])
  })

  t.test('is paused without a message to an owner if the run is not there', async t => {
    const { keeper } = keeping()
    const notified: number[] = []
    const ports = {
      admissions: { find: async () => ({ projectId: 7 }) as never },
      keeper: () => keeper,
      notifyAwaits: (runId: number) => void notified.push(runId),
    }
    t.match(await changeRun(ports, 'pause')({ projectId: 7, runId: 1 }), { run: null })
    t.strictSame(notified, [])
  })

  t.test('is not changed while the stream stores none of its decisions', async t => {
    const memory = memoryEventStore()
    let isFull = false
    const append: EventStore['append'] = async (...commit) => {
      if (isFull) throw new Error('maximum bytes exceeded')
      return memory.append(...commit)
    }
    const { keeper, append: appendEvents, stop } = keeping({ ...memory, append })
    await appendEvents(queued())
    isFull = true
    const looking = keeper.lookAfter().catch(() => {})
    await sleep(20)
    const admissions = { find: async () => ({ projectId: 7 }) as never }
    const ports = { admissions, keeper: () => keeper, notifyAwaits: () => {} }
    for (const change of ['pause', 'resume'] as const)
      await t.rejects(changeRun(ports, change)({ projectId: 7, runId: 1 }), { code: 'unavailable' }, change)
    stop.abort()
    await looking
  })

  t.test('responds with the run as it was before a retry of the same moment', async t => {
    for (const type of ['pause', 'resume', 'cancel'] as const) {
      const { keeper, append } = keeping()
      await append(queued())
      await keeper.lookAfter()
      await keeper.settle([failed('/', 'dns')])
      await keeper.lookAfter()
      const retried: Promise<void>[] = []
      const change: RunKeeper['pause'] = at => {
        const changed = keeper[type](at)
        retried.push(keeper.reopen())
        return changed
      }
      const ports = {
        admissions: { find: async () => ({ projectId: 7 }) as never },
        keeper: () => ({ look: keeper.look.bind(keeper), [type]: change }) as unknown as RunKeeper,
        notifyAwaits: () => {},
      }
      const handler = type === 'cancel' ? cancelRun(ports) : changeRun(ports, type)
      const answer = await handler({ projectId: 7, runId: 1 }).catch((error: unknown) => error)
      await Promise.all(retried)
      t.equal(await keeper.look(({ status }) => status), 'running', 'the retry came second')
      t.match(answer, type === 'cancel' ? { run: { status: 'failed' } } : { reason: 'run_ended' }, type)
    }
  })

  t.test('begins a run whose first event arrives after the first look', async t => {
    const { keeper, append, events, unknown } = keeping()
    await keeper.lookAfter()
    t.strictSame(unknown, [1], 'until then it is not kept, so that it is read again')
    await append(queued())
    await keeper.lookAfter()
    t.strictSame((await events()).slice(0, 2), ['RunQueued', 'RunStarted'])
  })

  t.test('returns the run between two decisions, as in its stream', async t => {
    const { keeper, append, store } = keeping()
    await append(queued())
    const looks = [keeper.lookAfter(), keeper.settle([page('/', ['/a', '/b'])])]
    const seen = await Promise.all(
      [1, 2, 3].map(() => keeper.look((run, version) => ({ run: run.status, version }))),
    )
    await Promise.all(looks)
    const last = await keeper.look((run, version) => [run.status === 'running' && run.states.size, version])
    t.ok(seen.every(({ run }) => run === 'running'))
    t.strictSame(last, [3, (await foldRun(store, 1)).version])
  })

  t.test('requests units for pages, some in advance, and never for an unlimited project', async t => {
    const requested: HoldUnits[] = []
    const hold = async (request: HoldUnits) => {
      requested.push(request)
      return {
        granted: Math.min(request.upTo, 100),
        reason: request.upTo > 100 ? ('daily_pages' as const) : null,
      }
    }
    const { keeper, append, events } = keeping(undefined, { hold, window: () => 10 })
    await append(queued({ maxPages: 500 }))
    await keeper.lookAfter()
    await keeper.settle([page('/', ['/a', '/b'])])
    const limits = { perDay: 500, perMonth: 5_000 }
    t.strictSame(requested, [{ projectId: 7, runId: 1, upTo: 129, limits }], 'one request for many pages')
    t.strictSame((await events()).at(-1), 'PagesOrdered')

    await keeper.delete()
    await keeper.lookAfter()
    t.equal(requested.length, 1, 'nor for what ends it')

    const free = keeping(undefined, { hold })
    await free.append(queued({ unlimited: true }))
    await free.keeper.lookAfter()
    t.equal(requested.length, 1)
  })

  t.test('requests units again after a reopening, with its number', async t => {
    const requested: HoldUnits[] = []
    const hold = async (request: HoldUnits) => {
      requested.push(request)
      return { granted: request.upTo, reason: null }
    }
    const { keeper, append, events } = keeping(undefined, { hold })
    await append(queued())
    await keeper.lookAfter()
    await keeper.settle([page('/', ['/a'])])
    await keeper.settle([failed('/a', 'dns')])
    t.equal((await events()).at(-1), 'RunFinished')
    await keeper.reopen()
    await keeper.lookAfter()
    t.strictSame((await events()).at(-1), 'PagesOrdered')
    const reopenings = requested.map(({ reopenings }) => reopenings)
    t.strictSame(reopenings, [undefined, 1], 'although the first grant was for many pages more')
  })

  t.test('requests units for cloud pages if a browser is to render, and no others', async t => {
    const requested: HoldUnits[] = []
    const hold = async (request: HoldUnits) => {
      requested.push(request)
      return {
        granted: Math.min(request.upTo, 3),
        reason: request.upTo > 3 ? ('cloud_pages' as const) : null,
      }
    }
    const { keeper, append, sent } = keeping(undefined, { hold })
    await append(queued({ render: 'always' }))
    await keeper.lookAfter()
    const limits = { perDay: 25, perMonth: null }
    t.strictSame(requested, [{ projectId: 7, runId: 1, kind: 'cloud_page', upTo: 9, limits }])
    const links = ['/a', '/b', '/c']
    await keeper.settle([{ ...page('/', links), rendered: true } as ReturnType<typeof page>])
    t.strictSame(
      sent.map(({ lane }) => lane),
      ['browser', 'browser', 'browser'],
      'the seed, and two of three',
    )
    t.ok(requested.every(({ kind }) => kind === 'cloud_page'))
  })

  t.test('requests its units again after many free results, and ends by quota after too many', async t => {
    for (const settled of ['failed', 'blocked'] as const) {
      const requested: HoldUnits[] = []
      let isSpent = false
      const hold = async (request: HoldUnits) => {
        requested.push(request)
        return isSpent ? { granted: 500, reason: 'free_results' as const } : { granted: 500, reason: null }
      }
      const { keeper, append, events, store } = keeping(undefined, { hold, window: () => 512 })
      await append(queued({ maxPages: 500 }))
      await keeper.lookAfter()
      const paths = Array.from({ length: 300 }, (_, n) => `/${n}`)
      await keeper.settle([page('/', paths)])
      const free = (path: string): Outcome =>
        settled === 'failed' ? failed(path, 'dns') : ({ ...page(path), blocked: true } as Outcome)
      const settle = async (from: number, to: number, more: string[] = []) => {
        const last = page(paths[to - 1] ?? '', more)
        await keeper.settle([...paths.slice(from, to - 1).map(free), last])
        await keeper.lookAfter()
      }
      await settle(0, 128)
      t.equal(requested.length, 1, 'few free results need no request')
      isSpent = true
      await settle(128, 200)
      t.ok(requested.length > 1, 'more of them do')
      t.ok(requested.at(-1)?.upTo === 500, 'it requests no more units than it has')
      t.not((await events()).at(-1), 'RunFinished', 'orders in flight finish')
      await settle(200, 300, ['/one', '/more'])
      const { commits } = await store.load<RunCommit>(subject)
      const last = commits.at(-1)?.commit.events.at(-1)
      t.match(last, { type: 'RunFinished', data: { status: 'done', stopReason: 'quota' } }, settled)
    }
  })

  t.test('continues over plain HTTP after too many free cloud pages', async t => {
    const hold = async ({ kind, upTo }: HoldUnits) =>
      kind === 'cloud_page'
        ? { granted: 0, reason: 'free_results' as const }
        : { granted: upTo, reason: null }
    const { keeper, append, sent, events } = keeping(undefined, { hold })
    await append(queued({ render: 'auto' }))
    await keeper.lookAfter()
    await keeper.settle([{ ...page('/', ['/a', '/b']), isScriptOnly: true } as ReturnType<typeof page>])
    await keeper.lookAfter()
    t.ok(sent.length > 1, `${sent.length} messages`)
    t.ok(
      sent.every(({ lane }) => lane === 'http'),
      'no browser',
    )
    t.notOk((await events()).includes('RunFinished'))
  })

  t.test('requests a page immediately if it needs one instead of a cloud page', async t => {
    const { keeper, append, sent } = keeping()
    await append(queued({ render: 'always' }))
    await keeper.lookAfter()
    await keeper.settle([failed('/', 'protocol')])
    t.equal(sent.length, 1, 'it has no page to spend before that')
    t.ok(keeper.dueAt - performance.now() < 5_000)
    await keeper.lookAfter()
    t.strictSame(
      sent.map(({ lane }) => lane),
      ['browser', 'http'],
    )
  })

  t.test('respects the current allowance of the project, and that of the key of the run', async t => {
    const requested: HoldUnits['limits'][] = []
    const hold = async ({ upTo, limits }: HoldUnits) => {
      requested.push(limits)
      return { granted: upTo, reason: null }
    }
    const begin = async (settings: Partial<RunSettings>, terms: Terms | null) => {
      const { keeper, append } = keeping(undefined, { hold, findTerms: async () => terms })
      await append(queued(settings))
      await keeper.lookAfter()
      return requested.splice(0)
    }
    const now: Terms = { tier: 'pro', caps: { pagesPerDay: 40 } }
    t.strictSame(await begin({}, now), [{ perDay: 40, perMonth: 200_000 }])
    t.strictSame(await begin({ unlimited: true }, now), [{ perDay: 40, perMonth: 200_000 }])
    t.strictSame(await begin({}, { tier: 'pro', unlimited: true }), [])
    t.strictSame(await begin({ keyCaps: { pagesPerMonth: 30 } }, { ...now, unlimited: true }), [
      { perDay: 40, perMonth: 30 },
    ])
    t.strictSame(
      await begin({ caps: { pagesPerDay: 7 }, keyCaps: { pagesPerDay: 5 } }, null),
      [{ perDay: 5, perMonth: 5_000 }],
      'or, if it is unknown, as at the beginning of the run',
    )
  })

  t.test('waits while the allowance is unknown, and requests it again soon', async t => {
    let isAway = true
    const hold = async ({ upTo }: HoldUnits) => {
      if (isAway) throw new Error('away')
      return { granted: upTo, reason: null }
    }
    const { keeper, append, events } = keeping(undefined, { hold })
    await append(queued())
    await keeper.lookAfter()
    t.strictSame(await events(), ['RunQueued', 'RunStarted', 'PagesAdmitted'])
    t.ok(keeper.dueAt - performance.now() < 5_000)
    isAway = false
    await keeper.lookAfter()
    t.strictSame((await events()).at(-1), 'PagesOrdered')
  })

  t.test('sends the same messages again after a restart', async t => {
    const { keeper, append, store } = keeping()
    await append(queued())
    await keeper.lookAfter()
    await keeper.settle([page('/', ['/a', '/b'])])
    const again = keeping(store)
    await again.keeper.lookAfter()
    t.strictSame(urlsOf(again.sent), [{ id: '1.2', urls: [url('/a'), url('/b')] }])
  })

  t.test('decides again after a concurrent append', async t => {
    const { keeper, append, events, ended } = keeping()
    await append(queued())
    await keeper.lookAfter()
    const totals = {
      discovered: 1,
      fetched: 0,
      failed: 0,
      skipped: 0,
      duplicate: 0,
      notReached: 0,
      pending: 1,
    }
    await append({
      type: 'RunFinished',
      data: { status: 'cancelled', stopReason: 'cancelled', errorMessage: null, totals },
    })
    await keeper.settle([page('/', ['/a'])])
    t.equal((await events()).at(-1), 'RunFinished')
    t.strictSame(ended, ['for_good'])
  })

  t.test('reports when a reusable run was done, which needs at least one page', async t => {
    const doneAt: (string | null)[] = []
    const ended: Ports['ended'] = async (_runId, _calledOff, at) => void doneAt.push(at)
    const whole = keeping(undefined, { ended })
    await whole.append(queued())
    await whole.keeper.lookAfter()
    await whole.keeper.settle([page('/')])
    const spent = async () => ({ granted: 0, reason: 'daily_pages' as const })
    const cut = keeping(undefined, { ended, hold: spent })
    await cut.append(queued())
    await cut.keeper.lookAfter()
    t.match(doneAt, [String, null])
    t.strictSame(
      await Promise.all(
        [whole, cut].map(async ({ store }) => {
          const last = await store.last<RunCommit>(subject)
          return last && [statusOf(last.commit), doneAtOf(last.commit)]
        }),
      ),
      doneAt.map(at => ['done', at]),
      'and so does its last commit',
    )
  })

  t.test('settles concurrent outcomes in one decision', async t => {
    const { keeper, append, store } = keeping()
    await append(queued())
    await keeper.lookAfter()
    await keeper.settle([page('/', ['/a', '/b', '/c'])])
    await Promise.all(['/a', '/b', '/c'].map(path => keeper.settle([page(path)])))
    const { commits } = await store.load<RunCommit>(subject)
    const last = commits.at(-1)?.commit.events.map(({ type }) => type)
    t.strictSame(last, ['PagesSettled', 'RunFinished'])
    t.equal(commits.length, 4)
  })

  t.test('retries after an outage of the stream, from the stored events', async t => {
    const inner = memoryEventStore()
    let failures = 2
    const store: EventStore = {
      ...inner,
      append: async (...appended) => {
        if (failures-- > 0) throw new Error('away')
        return inner.append(...appended)
      },
    }
    await inner.append<RunCommit>(subject, 0, { at, events: [queued()] })
    const { keeper, reported, sent } = keeping(store)
    await keeper.lookAfter()
    t.equal(reported.length, 2)
    t.strictSame(urlsOf(sent), seedOrder)
    const { run } = await foldRun(inner, 1)
    t.ok(run.status === 'running' && run.pending.has(key('/')))
  })

  t.test('appends its decision, and reads the run once, even if the stream is full for long', async t => {
    const { store, fail } = failing()
    const { keeper, append, folds, events, reported } = keeping(store)
    await append(queued())
    await keeper.lookAfter()
    fail(3)
    await keeper.settle([page('/', ['/a'])])
    t.equal(folds(), 1)
    t.strictSame((await events()).slice(-3), ['PagesSettled', 'PagesAdmitted', 'PagesOrdered'])
    t.match(reported, Array(3).fill({ error: /away/, about: { run_id: 1, command: 'SettlePages' } }))
  })

  t.test('keeps its outcomes while it gets no page ids', async t => {
    let tries = 0
    const reserve = async () => {
      if (tries++ < 2) throw new Error('no database')
      return () => 1
    }
    const { keeper, append, folds, reported } = keeping(undefined, { ids: { reserve } })
    await append(queued())
    await keeper.settle([page('/')])
    t.equal(folds(), 1)
    t.equal(reported.length, 2)
  })

  t.test('gives later pages higher ids, even if several instances write the run in turn', async t => {
    let leased = 0
    const query = async () => ({ rows: [{ first: 1 + 1_000 * leased++ }] })
    const store = memoryEventStore()
    const first = keeping(store, { ids: pageIds({ query } as never) })
    await first.append(queued())
    await first.keeper.lookAfter()
    await first.keeper.settle([page('/', ['/a', '/b', '/c', '/d'])])
    const second = keeping(store, { ids: pageIds({ query } as never) })
    await second.keeper.settle([page('/a')])
    await first.keeper.settle([page('/b')])
    const third = keeping(store, { ids: pageIds({ query } as never) })
    await third.keeper.settle([page('/d')])
    await second.keeper.settle([page('/c')])
    const { commits } = await store.load<RunCommit>(subject)
    const ids = commits
      .flatMap(({ commit }) => commit.events)
      .flatMap(({ type, data }) => (type === 'PagesSettled' ? data.pages.map(({ id }) => id) : []))
    t.equal(ids.length, 5)
    t.strictSame(
      ids,
      [...ids].sort((a, b) => a - b),
    )
  })

  for (const end of ['cancel', 'delete'] as const) {
    t.test(`has page ids for the first responses that a ${end} turns into pages`, async t => {
      const { keeper, append, events, reported } = keeping()
      await append(queued())
      await keeper.lookAfter()
      await keeper.settle([page('/', ['/a', '/b', '/c'])])
      await keeper.settle([page('/a', [], 503), page('/b', [], 503)])
      await keeper[end]()
      t.strictSame(reported, [])
      t.equal((await events()).filter(type => type === 'PagesSettled').length, 2)
    })
  }

  t.test('has page ids for a first response whose second request fails', async t => {
    const { keeper, append, events, reported } = keeping()
    await append(queued())
    await keeper.lookAfter()
    await keeper.settle([page('/', [], 503)])
    await sleep(1_100)
    await keeper.lookAfter()
    await keeper.settle([failed('/', 'dns', false, 2)])
    t.strictSame(reported, [])
    t.strictSame((await events()).slice(-2), ['PagesSettled', 'RunFinished'])
  })

  t.test('lets the end of a run overtake a decision that cannot be appended', async t => {
    const { store, fail } = failing(({ events }) => events.every(({ type }) => type !== 'RunFinished'))
    const { keeper, append, events } = keeping(store)
    await append(queued())
    await keeper.lookAfter()
    fail(1_000)
    const settled = keeper.settle([page('/', ['/a'])])
    const looked = keeper.lookAfter()
    await keeper.cancel()
    await Promise.all([settled, looked])
    t.equal((await events()).at(-1), 'RunFinished')
  })

  t.test('appends a decision in parts if it is too large for one commit', async t => {
    const { keeper, append, store, reported, events } = keeping(memoryEventStore(20_000))
    await append(queued())
    await keeper.lookAfter()
    await keeper.settle([page('/', ['/a', '/b', '/c', '/d'])])
    const long = (from: string) => Array.from({ length: 40 }, (_, n) => `${from}/${n}${'x'.repeat(200)}`)
    await Promise.all(['/a', '/b', '/c', '/d'].map(path => keeper.settle([page(path, long(path))])))
    const { run } = await foldRun(store, 1)
    t.ok(run.status === 'running' && run.states.size === 165)
    t.equal((await events()).filter(type => type === 'PagesSettled').length, 5)
    t.strictSame(reported, [], 'nothing is reported')
  })

  t.test(
    'reports once that an outcome can never be settled, and continues with the others until its end',
    async t => {
      const { keeper, append, reported, events } = keeping(memoryEventStore(5_000))
      await append(queued())
      await keeper.lookAfter()
      await keeper.settle([page('/', ['/a', '/b'])])
      const endless = page('/a', [`/${'x'.repeat(6_000)}`])
      const [alone, other] = await Promise.allSettled([keeper.settle([endless]), keeper.settle([page('/b')])])
      t.match(
        [alone, other],
        Array(2).fill({ status: 'rejected', reason: { name: 'Undecidable' } }),
        'both in one batch',
      )
      for (let n = 0; n < 2; n++) await t.rejects(keeper.settle([endless]), { name: 'Undecidable' })
      t.equal((await events()).filter(type => type === 'PagesSettled').length, 2)
      t.match(reported, [{ error: { name: 'Undecidable' }, about: { run_id: 1, command: 'SettlePages' } }])
      await keeper.delete()
      t.strictSame((await events()).slice(-2), ['RunFinished', 'RunDeleted'])
    },
  )

  t.test('looks after the run again after an error', async t => {
    const { keeper, append, reported } = keeping(undefined, {
      window: () => {
        throw new Error('a fault of ours')
      },
    })
    await append(queued())
    for (let n = 0; n < 2; n++) await t.rejects(keeper.lookAfter(), { name: 'Undecidable' })
    t.match(reported, [{ error: { cause: /a fault of ours/ }, about: { command: 'LookAfterRun' } }])
    t.ok(keeper.dueAt < performance.now() + 120_000)
  })

  t.test('learns from a notification that another process has ended the run', async t => {
    const { keeper, append, store, ended } = keeping()
    await append(queued())
    await keeper.lookAfter()
    await keeping(store).keeper.cancel()
    t.equal(await keeper.look(({ status }) => status), 'running')
    await keeper.catchUp()
    t.equal(await keeper.look(({ status }) => status), 'cancelled')
    t.strictSame(ended, ['for_good'])
  })

  // Seed 10010196 of the simulator: the slot of the run was never released.
  t.test('finds out without a notification that a run has ended that waits for a grant', async t => {
    const hold = async () => ({ granted: 0, reason: null })
    const { keeper, append, store, ended } = keeping(undefined, { hold })
    await append(queued())
    await keeper.lookAfter()
    await keeping(store).keeper.cancel()
    const { last } = store
    store.last = async () => {
      throw new Error('away')
    }
    await keeper.lookAfter()
    t.strictSame(ended, [])
    t.ok(keeper.dueAt - performance.now() < 5_000, 'while the stream is away, it is checked as often')
    store.last = last
    await keeper.lookAfter()
    t.strictSame(ended, ['for_good'])
  })

  t.test('calls off the orders of a run without a session until it is retried', async t => {
    const { keeper, append, ended } = keeping()
    const login = { steps: 'sealed2.00000000.x', loggedOut: { status: 401 } }
    await append(queued({ login }))
    await keeper.lookAfter()
    const order = { runId: 1, key: loginKey, attempt: 1 }
    await keeper.settle([{ type: 'login_failed', ...order, because: 'a step failed' }])
    t.strictSame(ended, ['until_retry'])
    const done = keeping()
    await done.append(queued())
    await done.keeper.lookAfter()
    await done.keeper.settle([page('/')])
    t.strictSame(done.ended, [null])
  })

  t.test('drops its outcomes when its shard is lost', async t => {
    const { keeper, append, stop } = keeping()
    await append(queued())
    await keeper.lookAfter()
    stop.abort()
    await t.rejects(keeper.settle([page('/')]))
  })
})

/** Maximally expensive patterns and a page of expensive links for them: the search takes many seconds. */
const costly = { excludePaths: Array.from({ length: 60 }, (_, at) => `[ab]*a[ab]{20}[^ab]${at}`) }
const hostile = (links: number) =>
  Array.from({ length: links }, (_, at) => {
    let odd = at
    const letters = Array.from({ length: 2_000 }, () => {
      odd = (Math.imul(odd, 1_664_525) + 1_013_904_223) >>> 0
      return odd > 0x7fffffff ? 'a' : 'b'
    })
    return `/${letters.join('')}`
  })

test('Slow patterns', async t => {
  const begun = async (more: Partial<Ports> = {}, settings: Partial<RunSettings> = costly) => {
    const kept = keeping(undefined, more)
    await kept.append(queued(settings))
    await kept.keeper.lookAfter()
    return kept
  }
  const within = async (work: () => Promise<unknown>) => {
    const began = performance.now()
    await work()
    return Math.round(performance.now() - began)
  }

  await t.test('delay neither readers of the run nor anything else in this process', async t => {
    const { keeper } = await begun()
    const settled = keeper.settle([page('/', hostile(1_000))])
    await sleep(300)
    const lags: number[] = []
    for (let n = 0; n < 50; n++) lags.push((await within(() => sleep(5))) - 5)
    const lag = lags.sort((a, b) => a - b)[45] ?? 0
    t.ok(lag < 100, `timers are ${lag} ms late`)
    const ms = await within(async () => t.equal(await keeper.look(({ status }) => status), 'running'))
    t.ok(ms < 500, `it is read after ${ms} ms`)
    await keeper.delete()
    await settled
  })

  await t.test('end when the run is cancelled, deleted, or ended by another process', async t => {
    for (const [how, end] of [
      ['cancelled', ({ keeper }) => keeper.cancel()],
      ['deleted', ({ keeper }) => keeper.delete()],
      [
        'ended elsewhere',
        async ({ keeper, store }) => {
          await keeping(store).keeper.cancel()
          await keeper.catchUp()
        },
      ],
    ] as [string, (kept: Awaited<ReturnType<typeof begun>>) => Promise<void>][]) {
      const kept = await begun()
      const settled = kept.keeper.settle([page('/', hostile(1_000))])
      await sleep(300)
      const ms = await within(() => Promise.all([end(kept), settled]))
      t.ok(ms < 1_000, `${how} within ${ms} ms`)
      t.notOk((await kept.events()).includes('PagesFiltered'), 'and no further decision follows')
    }
  })

  await t.test('continue while the run is paused and resumed, and their time counts', async t => {
    const spent: number[] = []
    const judge: Ports['patterns']['judge'] = async (_lists, urls, { budgetMs, signal }) => {
      spent.push(budgetMs)
      await sleep(300, undefined, { signal })
      return { verdicts: urls.map(() => null), spentMs: 70 }
    }
    const { keeper } = await begun({ patterns: { judge }, patternTimeMs: 100 })
    const settled = keeper.settle([page('/', ['/a'])])
    await sleep(100)
    await keeper.pause()
    await keeper.resume()
    await settled
    await keeper.settle([page('/a', ['/b'])])
    t.strictSame(spent, [100, 30])
  })

  await t.test('end with the shard', async t => {
    const { keeper, stop } = await begun()
    const settled = keeper.settle([page('/', hostile(1_000))])
    settled.catch(() => undefined)
    await sleep(300)
    const ms = await within(async () => {
      stop.abort()
      await t.rejects(settled)
    })
    t.ok(ms < 1_000, `within ${ms} ms`)
  })

  await t.test('end the run when their time is used up, with the fetched page', async t => {
    const { keeper, events, store } = await begun({ patternTimeMs: 200 })
    await keeper.settle([page('/', hostile(1_000))])
    t.strictSame((await events()).slice(-2), ['PagesSettled', 'RunFinished'])
    const { run } = await foldRun(store, 1)
    t.match(run, { status: 'done', stopReason: 'pattern_time', totals: { fetched: 1, discovered: 1 } })
  })

  await t.test('wait for outstanding orders when their time is used up', async t => {
    const { keeper, events, store, sent } = await begun({ patternTimeMs: 200 })
    await keeper.settle([page('/', ['/a', '/b'])])
    const orders = sent.length
    await keeper.settle([page('/a', [...hostile(200), '/c'])])
    t.equal((await events()).at(-1), 'PagesSettled')
    await keeper.lookAfter()
    t.equal(sent.length, orders, 'and no further order is sent')
    const ahead = {
      type: 'links',
      runId: 1,
      key: key('/b'),
      attempt: 1,
      part: 0,
      links: [[key('/d'), url('/d')]],
    }
    await keeper.settle([ahead as Outcome])
    await keeper.settle([{ ...page('/b'), parts: 1 } as Outcome])
    t.strictSame((await events()).slice(-3), ['LinksFollowed', 'PagesSettled', 'RunFinished'])
    const { run } = await foldRun(store, 1)
    t.match(run, { status: 'done', stopReason: 'pattern_time', totals: { fetched: 3, discovered: 3 } })
  })

  await t.test('share one time budget among all pages of the run', async t => {
    const spent: number[] = []
    const judge: Ports['patterns']['judge'] = async (_lists, urls, { budgetMs }) => {
      spent.push(budgetMs)
      return { verdicts: urls.map(() => null), spentMs: 70 }
    }
    const { keeper, store } = await begun({ patterns: { judge }, patternTimeMs: 100 })
    await keeper.settle([page('/', ['/a'])])
    await keeper.settle([page('/a', ['/b'])])
    t.strictSame(spent, [100, 30])
    await keeper.settle([page('/b', ['/c'])])
    t.strictSame(spent, [100, 30], 'of which nothing is left')
    t.match((await foldRun(store, 1)).run, {
      stopReason: 'pattern_time',
      totals: { fetched: 3, discovered: 3 },
    })
  })

  await t.test('are searched once per new URL, with the same decisions', async t => {
    const searched: string[] = []
    const judge: Ports['patterns']['judge'] = (lists, urls, about) => {
      searched.push(...urls)
      return patterns.judge(lists, urls, about)
    }
    const some = { includePaths: ['^/blog/'], excludePaths: ['draft$'] }
    const { keeper, store, events } = await begun({ patterns: { judge } }, some)
    const links = ['/blog/a', '/blog/draft', '/shop', '/blog/a']
    await keeper.settle([page('/', links)])
    await keeper.settle([page('/blog/a', [...links, '/blog/b'])])
    t.strictSame(searched, ['/blog/a', '/blog/draft', '/shop', '/blog/b'].map(url))
    t.ok((await events()).includes('PagesFiltered'))
    const { run } = await foldRun(store, 1)
    t.ok(run.status === 'running')
    t.match(run, { counts: { fetched: 2, skipped: 2 } })
  })

  await t.test('keep outcomes in their order', async t => {
    let isFirst = true
    const judge: Ports['patterns']['judge'] = async (lists, urls, about) => {
      if (isFirst) await sleep(200)
      isFirst = false
      return patterns.judge(lists, urls, about)
    }
    const { keeper, events } = await begun({ patterns: { judge } }, { excludePaths: ['x'] })
    const ahead = {
      type: 'links',
      runId: 1,
      key: key('/'),
      attempt: 1,
      part: 0,
      links: [[key('/a'), url('/a')]],
    }
    await Promise.all([
      keeper.settle([ahead as Outcome]),
      sleep(150).then(() => keeper.settle([{ ...page('/', ['/b']), parts: 1 } as Outcome])),
    ])
    t.strictSame(
      (await events()).filter(type => /Links|Settled/.test(type)),
      ['LinksFollowed', 'PagesSettled'],
    )
  })

  await t.test('are searched again after their thread could not start', async t => {
    let isBroken = true
    const judge: Ports['patterns']['judge'] = (lists, urls, about) => {
      if (!isBroken) return patterns.judge(lists, urls, about)
      isBroken = false
      return Promise.reject(new Error('no thread'))
    }
    const { keeper, reported, events } = await begun({ patterns: { judge } }, { excludePaths: ['x'] })
    await keeper.settle([page('/', ['/a', '/x'])])
    t.match(reported, [{ error: { message: 'no thread' }, about: { run_id: 1 } }])
    t.ok((await events()).includes('PagesFiltered'))
  })
})

/** Returns a store that fails to append some commits, a number of times. */
function failing(whether: (commit: RunCommit) => boolean = () => true) {
  const inner = memoryEventStore()
  let failures = 0
  const store: EventStore = {
    ...inner,
    append: async (subject, expected, commit, options) => {
      if (whether(commit as unknown as RunCommit) && failures-- > 0) throw new Error('away')
      return inner.append(subject, expected, commit, options)
    },
  }
  const fail = (times: number) => {
    failures = times
  }
  return { store, fail }
}
