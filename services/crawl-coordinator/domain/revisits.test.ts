/** What a monitor's run asks only for if it has changed since the run before, and how what had not is counted. */
import type { RunEvent } from '@tidemark/contracts/run'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { staleCopy } from '@tidemark/contracts/work/revisit'
import { test } from 'tap'
import { messagesFor, messagesOut } from '../policies/order-fetching.ts'
import { decide } from './decide.ts'
import { evolve } from './evolve/evolve.ts'
import { receiptOf } from './receipt.ts'
import { at, circumstances, failed, key, lookAfter, page, queued, settle } from './run.examples.ts'
import { isKnown, type Run, type Running, unknown } from './run.ts'

const previousRunId = 41

const tickOf = (previous: number | null, some: Partial<RunSettings> = {}): RunEvent => {
  const { type, data } = queued(some) as Extract<RunEvent, { type: 'RunQueued' }>
  return { type, data: { ...data, tick: { monitorId: 3, minute: at, previousRunId: previous } } }
}

/** A run from its first event on: what it was told, and what it ordered then. */
function running(first: RunEvent) {
  const events: RunEvent[] = [first]
  let run: Run = evolve(unknown, first, at)
  let seconds = 0
  const tell = (...outcomes: Outcome[]) => {
    seconds += 60
    const now = new Date(Date.parse(at) + seconds * 1000).toISOString()
    const command = outcomes.length > 0 ? settle(...outcomes) : lookAfter
    const decided = decide(run, command, circumstances({ at: now }))
    run = decided.run
    events.push(...decided.events)
    return run.status === 'running' ? messagesFor(run, decided.events) : []
  }
  const again = (): Run => events.reduce((run, event) => evolve(run, event, at), unknown as Run)
  return { tell, again, run: () => run, events }
}

const notModified = (path: string, bytes: number, links: string[] = []): Outcome =>
  ({ ...page(path, links), notModified: { since: previousRunId, bytes } }) as Outcome

test('A run of a monitor', async t => {
  await t.test('asks for each page on condition that it has changed since the run before', async t => {
    const { tell, again } = running(tickOf(previousRunId))
    t.match(tell(), [{ id: '1.1', known: [key('/')], orders: { revisits: { since: previousRunId } } }])
    t.match(tell(page('/', ['/a', '/b'])), [{ id: '1.2', known: [key('/a'), key('/b')] }])
    t.match(messagesOut(again() as Running), [{ id: '1.2', known: [key('/a'), key('/b')] }])
  })

  await t.test('lets all be kept in its first run, but knows nothing yet', async t => {
    const { tell } = running(tickOf(null))
    t.match(tell(), [{ known: [], orders: { revisits: { since: null } } }])
  })

  await t.test('fetches everything whole where its client wants that, as any other run does', async t => {
    for (const first of [tickOf(previousRunId, { conditional: false }), queued()]) {
      const [message] = running(first).tell()
      t.strictSame(message?.known, [])
      t.notOk(message && 'revisits' in message.orders)
    }
  })

  await t.test('fetches a page whole that the run before has no more, and does so from then on', async t => {
    const { tell, again } = running(tickOf(previousRunId))
    tell()
    tell(page('/', ['/a']))
    tell(failed('/a', staleCopy, true))
    const afresh = { known: [], orders: { orders: [{ key: key('/a'), attempt: 2 }] } }
    t.match(tell(), [afresh])
    t.match(messagesOut(again() as Running), [afresh])
    tell(failed('/a', 'timeout', true, 2))
    t.match(tell(), [{ known: [], orders: { orders: [{ attempt: 3 }] } }])
  })

  await t.test('tries a page again on condition, but whole at last', async t => {
    const { tell } = running(tickOf(previousRunId))
    tell()
    tell(failed('/', 'timeout', true))
    t.match(tell(), [{ known: [key('/')] }])
    tell(failed('/', 'timeout', true, 2))
    t.match(tell(), [{ known: [], orders: { orders: [{ attempt: 3 }] } }])
  })

  await t.test('has a page that was not modified like any other, and counts what it spared', async t => {
    const { tell, again, run, events } = running(tickOf(previousRunId))
    tell()
    t.match(tell(notModified('/', 1200, ['/a', '/b'])), [{ orders: { orders: { length: 2 } } }])
    tell(notModified('/a', 800), page('/b'))
    const settled = events.flatMap(({ type, data }) => (type === 'PagesSettled' ? data.pages : []))
    t.match(settled, [
      { key: key('/'), status: 200, notModified: { since: previousRunId, bytes: 1200 } },
      { key: key('/a'), notModified: { since: previousRunId, bytes: 800 } },
      { key: key('/b') },
    ])
    for (const ended of [run(), again()]) {
      const receipt = isKnown(ended) ? receiptOf(ended, 9) : null
      t.match(receipt, { status: 'done', fetched: 3, not_modified: { pages: 2, bytes_saved: 2000 } })
    }
  })
})
