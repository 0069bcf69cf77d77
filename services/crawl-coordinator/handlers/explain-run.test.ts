import { subjects } from '@tidemark/contracts/subjects'
import { memoryEventStore } from '@tidemark/eventstore/memory.scene'
import type { EventStore } from '@tidemark/eventstore/store'
import { defaultSettings } from '@tidemark/testing/run-settings'
import type { PatternThread } from '@tidemark/url/pattern-thread'
import { test } from 'tap'
import { fairReads, maxOfProject } from '../concurrency/fair-reads.ts'
import { explainRun } from './explain-run.ts'

const url = 'https://example.com/'
const at = '2026-01-02T03:04:05.000Z'
/** Each run belongs to the project of its first digit. */
const projectOf = (runId: number) => Number(String(runId)[0])

const queued = (runId: number) => ({
  type: 'RunQueued',
  data: { runId, projectId: projectOf(runId), tier: 'free', url, settings: defaultSettings },
})

const answersOver = ({ last, read }: Pick<EventStore, 'last' | 'read'>) =>
  explainRun({
    store: { last, read },
    admissions: {
      find: async runId => ({ projectId: projectOf(runId) }) as never,
    },
    kept: () => null,
    trapsOff: new Set(),
    patterns: {} as PatternThread,
  })

/** Handlers over runs whose reads wait until they are released. */
async function slowRuns(...runIds: number[]) {
  const memory = memoryEventStore()
  for (const runId of runIds) {
    const commit = { at, events: [queued(runId)] }
    await memory.append(subjects.run(runId), 0, commit)
  }
  const begun: number[] = []
  let release = Promise.withResolvers<void>()
  const read: EventStore['read'] = async (subject, take) => {
    begun.push(...runIds.filter(runId => subjects.run(runId) === subject))
    await release.promise
    return memory.read(subject, take)
  }
  const answers = answersOver({ last: memory.last, read })
  return {
    answers,
    begun,
    release: () => release.resolve(),
    hold: () => {
      release = Promise.withResolvers()
    },
  }
}

const tooMany = { name: 'Refusal', status: 429, reason: 'concurrent_requests', retryAfterSeconds: 5 }
/** As many runs as a project may have reads, two more of it, and one of another project. */
const own = Array.from({ length: maxOfProject }, (_, n) => 700 + n)
const [furtherOwn, laterOwn, foreign] = [798, 799, 800]

test('Questions about the URLs of runs', async t => {
  for (const name of ['coverage', 'errors', 'hosts', 'explain'] as const) {
    await t.test(`are served project by project, few of each: ${name}`, async t => {
      const { answers, begun, release, hold } = await slowRuns(...own, furtherOwn, laterOwn, foreign)
      const send = (runId: number): Promise<unknown> =>
        answers[name]({ projectId: projectOf(runId), runId, url, limit: 10, offset: 0 })
      const requested = own.map(send)
      await new Promise(setImmediate)
      await t.rejects(send(furtherOwn), tooMany)
      requested.push(send(foreign))
      await new Promise(setImmediate)
      t.strictSame(begun, [700])
      release()
      await Promise.all(requested)
      t.strictSame(begun, own.toSpliced(2, 0, foreign), 'another project waits for one read')
      await send(furtherOwn)
      t.equal(begun.length, own.length + 2)
      if (name === 'explain') return
      hold()
      const slow = send(laterOwn)
      await send(furtherOwn)
      t.strictSame(begun.slice(own.length + 2), [laterOwn], 'a cached answer needs no turn')
      release()
      await slow
    })
  }
})

test('Readers of shares have slots and a position in line of their own', async t => {
  for (const name of ['coverage', 'errors', 'explain'] as const) {
    const { answers, begun, release } = await slowRuns(...own, furtherOwn, laterOwn)
    const send = (runId: number, isShared?: true): Promise<unknown> =>
      answers[name]({ projectId: 7, runId, url, limit: 10, offset: 0, ...(isShared && { isShared }) })
    const shared = own.map(runId => send(runId, true))
    await new Promise(setImmediate)
    await t.rejects(send(furtherOwn, true), tooMany)
    const byKey = send(laterOwn)
    release()
    await byKey
    t.strictSame(begun.slice(0, 3), [700, 701, laterOwn], `${name}: the project waits for one read`)
    await Promise.all(shared)
  }
})

test('The explanation of a run without a start', async t => {
  const memory = memoryEventStore()
  const { explain } = answersOver(memory)
  const explanation = async () => (await explain({ projectId: 7, runId: 7, url })).explanation
  await memory.append(subjects.run(7), 0, { at, events: [queued(7)] })
  t.match(
    await explanation(),
    {
      rules: [{ rule: 'found', passed: false, because: 'the run has not started' }],
      what_would_change: ['Try again when the run has started.'],
    },
    'is to wait while it is queued',
  )
  const data = { at, stopReason: 'cancelled', totals: { discovered: 0, fetched: 0, failed: 0, skipped: 0 } }
  await memory.append(subjects.run(7), 1, { at, events: [{ type: 'RunFinished', data }] })
  t.match(
    await explanation(),
    {
      verdict: 'never_seen',
      rules: [
        {
          rule: 'found',
          passed: false,
          because: 'the run ended before it started, with stop_reason cancelled',
        },
      ],
      what_would_change: ['A new crawl: this one never starts.'],
    },
    'is its end, and a new crawl as the remedy',
  )
})

test('A read in line is skipped when its caller has left', async t => {
  let time = 0
  const fairly = fairReads(() => time)
  const first = Promise.withResolvers<string>()
  const read: string[] = []
  const reading = fairly({ projectId: 7 }, () => first.promise)
  const late = fairly({ projectId: 8 }, async () => read.push('late'))
  time = 1
  const inTime = fairly({ projectId: 9 }, async () => read.push('in time'))
  time = 20_000
  first.resolve('slow')
  t.equal(await reading, 'slow')
  await t.rejects(late, { name: 'Refusal', status: 503, code: 'unavailable' })
  await inTime
  t.strictSame(read, ['in time'])
})
