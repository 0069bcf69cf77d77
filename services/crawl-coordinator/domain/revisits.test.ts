/** Conditional requests of a monitor's run, and the count of unmodified pages. */
import type { RunEvent } from '@tidemark/contracts/run'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { staleCopy } from '@tidemark/contracts/work/revisit'
import { test } from 'tap'
import { messagesOut } from '../policies/order-fetching.ts'
import { coverageOf } from './coverage.ts'
import { driveRun } from './driven-run.scene.ts'
import { at, failed, key, page, queued } from './run.examples.ts'
import { isKnown } from './run.ts'

const previousRunId = 41

const tickOf = (previous: number | null, some: Partial<RunSettings> = {}): RunEvent => {
  const { type, data } = queued(some) as Extract<RunEvent, { type: 'RunQueued' }>
  return { type, data: { ...data, tick: { monitorId: 3, minute: at, previousRunId: previous } } }
}

/** Returns a run from its first event on: outcomes, and the orders that follow. */
function running(first: RunEvent) {
  const run = driveRun(first)
  const receive = (...outcomes: Outcome[]) => (outcomes.length > 0 ? run.receive(...outcomes) : run.look())
  return { ...run, receive }
}

const notModified = (path: string, bytes: number, links: string[] = []): Outcome =>
  ({ ...page(path, links), notModified: { since: previousRunId, bytes } }) as Outcome

test('A run of a monitor', async t => {
  await t.test('requests each page on condition that it has changed since the previous run', async t => {
    const { receive, again } = running(tickOf(previousRunId))
    t.match(receive(), [{ id: '1.1', known: [key('/')], orders: { revisits: { since: previousRunId } } }])
    t.match(receive(page('/', ['/a', '/b'])), [{ id: '1.2', known: [key('/a'), key('/b')] }])
    t.match(messagesOut(again()), [{ id: '1.2', known: [key('/a'), key('/b')] }])
  })

  await t.test('sends no conditions in its first run, but has all pages kept', async t => {
    const { receive } = running(tickOf(null))
    t.match(receive(), [{ known: { length: 0 }, orders: { revisits: { since: null } } }])
  })

  await t.test('fetches every page without conditions on request, like any other run', async t => {
    for (const first of [tickOf(previousRunId, { conditional: false }), queued()]) {
      const [message] = running(first).receive()
      t.strictSame(message?.known, [])
      t.notOk(message && 'revisits' in message.orders)
    }
  })

  await t.test('fetches a page without conditions if the previous run lost it, also at retries', async t => {
    const { receive, again } = running(tickOf(previousRunId))
    receive()
    receive(page('/', ['/a']))
    receive(failed('/a', staleCopy, true))
    const afresh = { known: [], orders: { orders: [{ key: key('/a'), attempt: 2 }] } }
    t.match(receive(), [afresh])
    t.match(messagesOut(again()), [afresh])
    receive(failed('/a', 'timeout', true, 2))
    t.match(receive(), [{ known: { length: 0 }, orders: { orders: [{ attempt: 3 }] } }])
  })

  await t.test('retries a page with conditions, but the last time without', async t => {
    const { receive } = running(tickOf(previousRunId))
    receive()
    receive(failed('/', 'timeout', true))
    t.match(receive(), [{ known: [key('/')] }])
    receive(failed('/', 'timeout', true, 2))
    t.match(receive(), [{ known: { length: 0 }, orders: { orders: [{ attempt: 3 }] } }])
  })

  await t.test('stores an unmodified page like any other, and counts the saved bytes', async t => {
    const { receive, again, run, dataOf } = running(tickOf(previousRunId))
    receive()
    t.match(receive(notModified('/', 1200, ['/a', '/b'])), [{ orders: { orders: { length: 2 } } }])
    receive(notModified('/a', 800), page('/b'))
    const settled = dataOf('PagesSettled').flatMap(({ pages }) => pages)
    t.match(settled, [
      { key: key('/'), status: 200, notModified: { since: previousRunId, bytes: 1200 } },
      { key: key('/a'), notModified: { since: previousRunId, bytes: 800 } },
      { key: key('/b') },
    ])
    for (const ended of [run(), again()]) {
      const coverage = isKnown(ended) ? coverageOf(ended, 9) : null
      t.match(coverage, { status: 'done', fetched: 3, not_modified: { pages: 2, bytes_saved: 2000 } })
    }
  })
})
