/** Reads of the log take turns if they may be long. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LogQuery } from '@tidemark/contracts/http/logs'
import type { OfProject } from '@tidemark/db/of-project'
import { test } from 'tap'
import { openLogReads } from './account-reads.ts'

const kept = { maxMs: 3_000, signal: new AbortController().signal }
const query: LogQuery = { limit: 100, offset: 0 }
const filtered = { ...query, status_min: 400 }

/** Reads that end when the test lets them. */
function heldReads() {
  const begun: { projectId: number; maxMs: number | undefined; end: (error?: Error) => void }[] = []
  const reads: OfProject = (projectId, maxMs) => {
    const run = () => {
      const { promise, resolve, reject } = Promise.withResolvers<{ rows: object[] }>()
      const end = (error?: Error) => (error ? reject(error) : resolve({ rows: [] }))
      begun.push({ projectId, maxMs, end })
      return promise
    }
    return { query: run as unknown as ReturnType<OfProject>['query'] }
  }
  return { begun, reads, projects: () => begun.map(({ projectId }) => projectId) }
}

test('Long reads of the log take turns by project, and short ones do not wait', async t => {
  const { begun, reads, projects } = heldReads()
  const read = openLogReads(reads, kept.maxMs)
  const all = [
    ...[filtered, { ...query, status_max: 499 }, { ...query, offset: 10_001 }].map(one =>
      read(7, one, kept.signal),
    ),
    read(8, filtered, kept.signal),
  ]
  await nextTurn()
  t.strictSame(projects(), [7], 'one at a time')
  all.push(read(9, query, kept.signal), read(9, { ...query, offset: 10_000 }, kept.signal))
  await nextTurn()
  t.strictSame(projects(), [7, 9, 9])
  for (const [ended, next] of [
    [0, 7],
    [-1, 8],
    [-1, 7],
  ] as const) {
    begun.at(ended)?.end()
    await nextTurn()
    t.equal(projects().at(-1), next)
  }
  for (const { end, maxMs } of begun) {
    t.equal(maxMs, kept.maxMs)
    end()
  }
  t.strictSame(await Promise.all(all), [[], [], [], [], [], []])
})

test('A read of the log whose client has left is not begun', async t => {
  const { begun, reads } = heldReads()
  const read = openLogReads(reads, kept.maxMs)
  const left = new AbortController()
  const [first, second] = [read(7, filtered, kept.signal), read(7, filtered, left.signal)]
  await nextTurn()
  left.abort()
  begun[0]?.end()
  t.strictSame(await Promise.all([first, second]), [[], []])
  t.equal(begun.length, 1)
})

test('A read of the log that takes too long finds null, and other errors are thrown', async t => {
  const { begun, reads } = heldReads()
  const read = openLogReads(reads, kept.maxMs)
  const [slow, failed] = [read(7, query, kept.signal), read(7, query, kept.signal)]
  begun[0]?.end(Object.assign(new Error('canceling statement'), { code: '57014' }))
  begun[1]?.end(Object.assign(new Error('no such table'), { code: '42P01' }))
  t.equal(await slow, null)
  await t.rejects(failed, { code: '42P01' })
})
