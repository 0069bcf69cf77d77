import { openBus } from '@tidemark/bus/connection'
import type { RunCommit, RunEvent } from '@tidemark/contracts/run'
import { streams, subjects } from '@tidemark/contracts/subjects'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { memoryEventStore } from '@tidemark/eventstore/memory.scene'
import { throwawayNats } from '@tidemark/testing/servers'
import { until } from '@tidemark/testing/until'
import { openPatternThread } from '@tidemark/url/pattern-thread'
import { type Test, test } from 'tap'
import { type FoundSession, type OrderMessage, sendOrders } from '../adapters/send-orders.ts'
import { finished, page, queued, settings } from '../domain/run.examples.ts'
import { foldRun } from './fold-run.ts'
import { Shards } from './shards.ts'

test('The shards of an instance', async t => {
  const { bus, owned, append, receive, messages } = await surroundings(t)

  await t.test('accept late outcomes of an ended run, and read only its end', async t => {
    const { shards, folds } = owned()
    await append(1, queued(), finished('cancelled', {}, 'cancelled'))
    for (let n = 0; n < 5; n++) {
      await receive(page('/'), page('/a'))
      await until(async () => (await messages(streams.outcomes)) === 0)
    }
    t.equal(folds(), 0)
    t.equal(shards.kept(1), null)
    await shards.close()
  })

  await t.test('keep no run that is not in the stream, so that it is read again', async t => {
    const { shards } = owned()
    await shards.keeper(2)?.lookAfter()
    t.equal(shards.kept(2), null)
    await append(2, withId(2))
    await shards.keeper(2)?.lookAfter()
    t.not(shards.kept(2), null)
    await shards.close()
  })

  await t.test('close after a command in progress, so that nothing is appended later', async t => {
    // Given a run whose first decision waits for its units.
    const gate = Promise.withResolvers<void>()
    const { shards } = owned({ granted: gate.promise })
    await append(4, withId(4))
    const looking = shards.keeper(4)?.lookAfter()
    await new Promise(resolve => setTimeout(resolve, 50))
    // When its shards are closed, then they wait for it.
    const ends: string[] = []
    const closing = shards.close().then(() => ends.push('closed'))
    await new Promise(resolve => setTimeout(resolve, 100))
    t.strictSame(ends, [])
    gate.resolve()
    await Promise.all([looking?.then(() => ends.push('decided')), closing])
    t.strictSame(ends, ['decided', 'closed'])
  })

  await t.test('dead-letter an outcome that can never be settled, and continue', async t => {
    const { shards, reported } = owned({
      reserve: async () => () => {
        throw new Error('a fault of ours')
      },
    })
    await append(3, withId(3))
    await shards.keeper(3)?.lookAfter()
    await receive({ ...page('/'), runId: 3 })
    await until(async () => (await messages(streams.dead)) === 1)
    await until(async () => (await messages(streams.outcomes)) === 0)
    t.match(reported, [{ cause: /a fault of ours/ }], 'it is reported once')
    await shards.close()
  })

  await t.test('send orders a second time only on request', async t => {
    await bus.jsm.streams.update(streams.fetch, { duplicate_window: 100e6 })
    const signal = new AbortController().signal
    const sessions: Record<number, FoundSession> = {
      1: { type: 'stored', sealed: 'sealed2.00000000.x' },
      3: { type: 'lost' },
    }
    const reported: string[] = []
    const send = sendOrders({
      bus,
      addValidators: async ({ orders }) => orders,
      findSession: async (_, attempt) => sessions[attempt] ?? { type: 'deleted' },
      signal,
      report: error => reported.push(String(error)),
    })
    const orders = { runId: 9, orders: [] } as never
    const order: OrderMessage = { id: '9.1', lane: 'http', orders, trace: undefined, known: [] }
    const before = await messages(streams.fetch)
    send([order])
    await until(async () => (await messages(streams.fetch)) === before + 1)
    await new Promise(resolve => setTimeout(resolve, 300))
    send([order], { unlessSent: true })
    send([{ ...order, id: '9.2' }], { unlessSent: true })
    await until(async () => (await messages(streams.fetch)) === before + 2)
    send([order])
    await until(async () => (await messages(streams.fetch)) === before + 3)
    send([{ ...order, id: '9.3', session: 2 }])
    send([{ ...order, id: '9.4', session: 1 }])
    await until(async () => (await messages(streams.fetch)) === before + 4)
    const last = await bus.jsm.streams.getMessage(streams.fetch, { last_by_subj: 'fetch.http' })
    t.match(last?.json(), { runId: 9, session: 'sealed2.00000000.x' }, 'never without the session they need')
    t.strictSame(reported, [])
    for (const id of ['9.5', '9.6']) send([{ ...order, id, session: 3 }])
    await until(async () => reported.length > 0)
    send([{ ...order, id: '9.7' }])
    await until(async () => (await messages(streams.fetch)) === before + 5)
    t.match(reported, [/The session of run 9 is lost/], 'reported once')
  })
})

const withId = (runId: number): RunEvent => {
  const { data } = queued()
  return { type: 'RunQueued', data: { ...(data as object), runId, settings: settings() } } as RunEvent
}

async function surroundings(t: Test) {
  const nats = await throwawayNats()
  const bus = await openBus({ url: nats.url, name: 'test' })
  t.teardown(async () => {
    await bus.close()
    await nats.stop()
  })
  await declareStreams(nats.url)
  const patterns = openPatternThread()
  t.teardown(() => patterns[Symbol.asyncDispose]())
  const store = memoryEventStore()
  return {
    bus,
    /** All shards with a store in memory. */
    owned({ reserve, granted }: { reserve?: () => Promise<() => number>; granted?: Promise<void> } = {}) {
      let folds = 0
      let id = 0
      const reported: unknown[] = []
      const shards = new Shards({
        bus,
        store,
        fold: runId => {
          folds++
          return foldRun(store, runId)
        },
        ids: { reserve: reserve ?? (async () => () => ++id) },
        basePages: async () => new Map(),
        async hold({ upTo }) {
          await granted
          return { granted: upTo, reason: null }
        },
        findTerms: async () => null,
        send: () => {},
        keepSessions: async () => {},
        maxOrdersOut: 512,
        robotsToken: 'tidemark',
        runLimitMs: 86_400_000,
        trapsOff: new Set(),
        patterns,
        patternTimeMs: 60_000,
        released: async () => {},
        report: error => void reported.push(error),
      })
      shards.own(new Set(Array.from({ length: 64 }, (_, n) => n)))
      return { shards, reported, folds: () => folds }
    },
    async append(runId: number, ...events: RunEvent[]) {
      const commit: RunCommit = { at: new Date().toISOString(), events }
      await store.append(subjects.run(runId), 0, commit)
    },
    receive: (...outcomes: Outcome[]) =>
      bus.js.publish(subjects.outcomes(outcomes[0]?.runId ?? 1), JSON.stringify({ outcomes })),
    messages: async (stream: string) => (await bus.jsm.streams.info(stream)).state.messages,
  }
}
