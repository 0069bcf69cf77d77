/** The settings of a run, as a fork of it needs them. */
import type { RunCommit, RunEvent } from '@tidemark/contracts/run'
import { subjects } from '@tidemark/contracts/subjects'
import { memoryEventStore } from '@tidemark/eventstore/memory.scene'
import { test } from 'tap'
import {
  admitted,
  at,
  finished,
  ordered,
  queued,
  settings,
  settled,
  started,
  url,
} from '../domain/run.examples.ts'
import { getRunSettings } from './run-settings.ts'

const deleted: RunEvent = { type: 'RunDeleted', data: { projectId: 7, billedPages: 1 } }

test('The settings of a run', async t => {
  const store = memoryEventStore()
  let reads = 0
  const read: typeof store.read = (subject, take) => {
    reads++
    return store.read(subject, take)
  }
  const find = getRunSettings({
    store: { last: store.last, read },
    admissions: { find: async runId => (runId < 100 ? ({ projectId: 7 } as never) : null) },
  })
  const found = async (runId: number, projectId = 7) => (await find({ projectId, runId })).found
  const append = async (runId: number, ...events: RunEvent[]) => {
    const last = await store.last(subjects.run(runId))
    const commit: RunCommit = { at, events }
    await store.append(subjects.run(runId), last?.sequence ?? 0, commit)
  }

  await append(1, queued({ excludePaths: ['^/x'] }))
  t.strictSame(await found(1), {
    url: url('/'),
    status: 'queued',
    pages: 0,
    settings: settings({ excludePaths: ['^/x'] }),
  })
  await append(1, started, admitted('/'), ordered(1, '/'))
  t.match(await found(1), { status: 'running' })
  await append(1, settled('/', 1), finished('exhausted', { discovered: 1, fetched: 1 }))
  t.match(await found(1), { status: 'done', pages: 1, settings: { excludePaths: ['^/x'] } })
  t.equal(reads, 3)
  t.match(await found(1), { status: 'done' })
  t.equal(reads, 3, 'they are read again only if its stream has grown')
  t.equal(await found(1, 8), null, 'no other project reads them')
  t.equal(reads, 3)
  await append(1, deleted)
  t.equal(await found(1), null)
  t.equal(await found(2), null, 'it has no event yet')
  t.equal(await found(100), null)
})
