import type { RunCommit, RunEvent } from '@tidemark/contracts/run'
import { subjects } from '@tidemark/contracts/subjects'
import { memoryEventStore } from '@tidemark/eventstore/memory'
import type { EventStore } from '@tidemark/eventstore/store'
import { test } from 'tap'
import type { OrderMessage } from '../adapters/fetch-orders.ts'
import { key, page, queued, url } from '../domain/examples.ts'
import { foldRun } from './fold-run.ts'
import { type Ports, runKeeper } from './run-keeper.ts'

const subject = subjects.run(1)
/** The keeper goes by the clock, and gives up what was queued long ago. */
const at = new Date().toISOString()

function keeping(store: EventStore = memoryEventStore(), more: Partial<Ports> = {}) {
  const sent: OrderMessage[] = []
  const ended: boolean[] = []
  const reported: unknown[] = []
  let id = 0
  const ports: Ports = {
    store,
    ids: { reserve: async () => {}, take: () => ++id, drop: () => {} },
    send: messages => sent.push(...messages),
    robotsToken: 'tidemark',
    runLimitMs: 86_400_000,
    trapsOff: new Set(),
    window: () => 512,
    ended: async (_runId, calledOff) => void ended.push(calledOff),
    report: error => reported.push(error),
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
    reported,
    ports,
    stop,
    append,
    events,
    keeper: runKeeper(1, ports, stop.signal),
  }
}

const seedOrder = [{ id: '1.1', urls: [url('/')] }]
const told = (messages: OrderMessage[]) =>
  messages.map(({ id, orders }) => ({ id, urls: orders.orders.map(order => order.url) }))

test('The keeper of a run', async t => {
  t.test('appends what was decided, and only then hands out orders', async t => {
    const { keeper, append, events, sent } = keeping()
    await append(queued())
    await keeper.lookAfter()
    t.strictSame(await events(), ['RunQueued', 'RunStarted', 'PagesAdmitted', 'PagesOrdered'])
    t.strictSame(told(sent), seedOrder)
  })

  t.test('begins a run whose first event comes after it was looked at', async t => {
    const { keeper, append, events } = keeping()
    await keeper.lookAfter()
    await append(queued())
    await keeper.lookAfter()
    t.strictSame((await events()).slice(0, 2), ['RunQueued', 'RunStarted'])
  })

  t.test('lets the run be looked at between two decisions, as its stream has it', async t => {
    const { keeper, append, store } = keeping()
    await append(queued())
    const looks = [keeper.lookAfter(), keeper.settle([page('/', ['/a', '/b'])])]
    const seen = await Promise.all(
      [1, 2, 3].map(() => keeper.look((run, version) => ({ run: run.status, version }))),
    )
    await Promise.all(looks)
    const last = await keeper.look((run, version) => [run.status === 'running' && run.places.size, version])
    t.ok(seen.every(({ run }) => run === 'running'))
    t.strictSame(last, [3, (await foldRun(store, 1)).version])
  })

  t.test('hands out the same messages again when it was restarted', async t => {
    const { keeper, append, store } = keeping()
    await append(queued())
    await keeper.lookAfter()
    await keeper.settle([page('/', ['/a', '/b'])])
    const again = keeping(store)
    await again.keeper.lookAfter()
    t.strictSame(told(again.sent), [{ id: '1.2', urls: [url('/a'), url('/b')] }])
  })

  t.test('decides again when somebody else has appended meanwhile', async t => {
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
    t.strictSame(ended, [true])
  })

  t.test('settles what comes together as one decision', async t => {
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

  t.test('tries again when the stream is away, from what is stored', async t => {
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
    t.strictSame(told(sent), seedOrder)
    const { run } = await foldRun(inner, 1)
    t.ok(run.status === 'running' && run.pending.has(key('/')))
  })

  t.test('gives up what it holds when its shard is lost', async t => {
    const { keeper, append, stop } = keeping()
    await append(queued())
    await keeper.lookAfter()
    stop.abort()
    await t.rejects(keeper.settle([page('/')]))
  })
})
