/** The pages of the run that a fork continues, as read from its events. */
import type { RunCommit, RunEvent } from '@tidemark/contracts/run'
import { subjects } from '@tidemark/contracts/subjects'
import { memoryEventStore } from '@tidemark/eventstore/memory.scene'
import { test } from 'tap'
import { admitted, at, key, ordered, queued, settled, started } from '../domain/run.examples.ts'
import { basePages } from './base-pages.ts'

async function historyOf(...runs: RunEvent[][]) {
  const store = memoryEventStore()
  for (const [n, events] of runs.entries())
    await store.append(subjects.run(n + 1), 0, { at, events } satisfies RunCommit)
  let reads = 0
  const read: typeof store.read = (subject, take) => {
    reads++
    return store.read(subject, take)
  }
  const append = async (runId: number, ...events: RunEvent[]) => {
    const { version } = await store.load(subjects.run(runId))
    await store.append(subjects.run(runId), version, { at, events } satisfies RunCommit)
  }
  return { read, last: store.last, append, reads: () => reads }
}

const begun = [queued(), started, admitted('/'), ordered(1, '/')]

test('The pages of a base', async t => {
  t.test('are those that it has settled, except challenges', async t => {
    const { read, last } = await historyOf([
      ...begun,
      settled('/', 1),
      settled('/gone', 2, { status: 404, fetchedAt: '2026-01-01T00:00:00.000Z', rendered: true }),
      settled('/challenge', 3, { blocked: true }),
    ])
    const pages = await basePages({ read, last })(1)
    t.strictSame(pages.get(key('/')), { status: 200, fetchedAt: at })
    t.strictSame(pages.get(key('/gone')), {
      status: 404,
      fetchedAt: '2026-01-01T00:00:00.000Z',
      rendered: true,
    })
    t.equal(pages.get(key('/challenge')), undefined)
    t.equal(pages.get(key('/never')), undefined)
  })

  t.test('are an empty set if it is deleted or unknown', async t => {
    const deleted: RunEvent = { type: 'RunDeleted', data: { projectId: 7, billedPages: 1 } }
    const { read, last } = await historyOf([...begun, settled('/', 1), deleted])
    const find = basePages({ read, last })
    t.equal((await find(1)).get(key('/')), undefined)
    t.equal((await find(99)).get(key('/')), undefined)
  })

  t.test('are read once, also for concurrent callers, up to a number of pages', async t => {
    const { read, last, reads } = await historyOf(
      [...begun, settled('/', 1), settled('/a', 2)],
      [...begun, settled('/', 1)],
      [...begun, settled('/', 1)],
    )
    const find = basePages({ read, last }, 2)
    await Promise.all([find(2), find(2), find(3)])
    t.equal(reads(), 2)
    await find(2)
    t.equal(reads(), 2)
    t.ok((await find(1)).get(key('/a')))
    t.equal(reads(), 3)
    await find(1)
    t.equal(reads(), 3)
    await find(3)
    t.equal(reads(), 4, 'the least recently used runs are dropped first')
  })

  t.test('are read again after a failure, which is not taken for an empty run', async t => {
    const { read, last } = await historyOf([...begun, settled('/', 1)])
    let isAway = true
    const find = basePages({
      last,
      read: (subject, take) => (isAway ? Promise.reject(new Error('away')) : read(subject, take)),
    })
    await t.rejects(find(1), { message: 'away' })
    isAway = false
    t.ok((await find(1)).get(key('/')))
  })

  t.test('are read again when the base has changed', async t => {
    const { read, last, append } = await historyOf([...begun, settled('/', 1)])
    const find = basePages({ read, last })
    t.equal((await find(1)).get(key('/a')), undefined)
    await append(1, settled('/a', 2))
    t.ok((await find(1)).get(key('/a')), 'it was reopened')
    await append(1, { type: 'RunDeleted', data: { projectId: 7, billedPages: 2 } })
    t.equal((await find(1)).get(key('/')), undefined)
  })
})
