import type { DeliveryEvent } from '@tidemark/contracts/delivery'
import type { RunCommit, RunEvent } from '@tidemark/contracts/run'
import type { RunSiteEvent } from '@tidemark/contracts/run-site'
import { type Facet, subjects } from '@tidemark/contracts/subjects'
import { memoryEventStore } from '@tidemark/eventstore/memory.scene'
import type { EventStore } from '@tidemark/eventstore/store'
import fc from 'fast-check'
import { test } from 'tap'
import { maxOfProject } from '../concurrency/fair-reads.ts'
import { aimed, command, someSettings } from '../domain/any-command.scene.ts'
import { Story } from '../domain/any-run.scene.ts'
import type { RunCommand } from '../domain/decide.ts'
import {
  admitted,
  finished,
  key,
  later,
  lookAfter,
  ordered,
  queued,
  settled,
  at as start,
  started,
  url,
} from '../domain/run.examples.ts'
import { type AnswerAsOf, answerAsOf } from './answer-as-of.ts'

const fails = (path: string): RunEvent => ({
  type: 'PagesFailed',
  data: { pages: [{ key: key(path), reason: 'timeout', attempts: 3 }] },
})
const reopened: RunEvent = { type: 'RunReopened', data: { nth: 1, retried: 1 } }
const deleted: RunEvent = { type: 'RunDeleted', data: { projectId: 7, billedPages: 2 } }

/** A crawl whose only failed URL is retried after its end, second by second. */
const history: RunEvent[][] = [
  [queued()],
  [started, admitted('/'), ordered(1, '/')],
  [settled('/', 11), admitted('/a', '/b'), ordered(2, '/a', '/b')],
  [settled('/a', 12)],
  [fails('/b')],
  [finished('exhausted', { discovered: 3, fetched: 2, failed: 1 })],
  [reopened, ordered(3, '/b')],
  [settled('/b', 1_005)],
  [finished('exhausted', { discovered: 3, fetched: 3 })],
]

type Logged = { facet?: Facet; at: string; events: object[] }

async function answering(...logged: Logged[]) {
  const memory = memoryEventStore()
  let reads = 0
  let released = Promise.resolve()
  const store: Pick<EventStore, 'last' | 'read'> = {
    last: memory.last,
    async read(subject, take) {
      reads++
      await released
      return memory.read(subject, take)
    },
  }
  const append = async ({ facet, ...commit }: Logged) => {
    const subject = subjects.run(1, facet)
    const { version } = await memory.load(subject)
    await memory.append(subject, version, commit)
  }
  for (const commit of logged) await append(commit)
  const answers = answerAsOf({
    store,
    admissions: { find: async () => ({ projectId: 7, isReleased: true }) },
  })
  /** Lets reads wait until the returned function is called. */
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    released = promise
    return resolve
  }
  return { ...requestsTo(answers), append, reads: () => reads, hold }
}

function requestsTo({ run, coverage, errors }: AnswerAsOf) {
  const of = { projectId: 7, runId: 1 }
  return {
    run: async (asOf: string) => (await run({ ...of, asOf })).run,
    coverage: async (asOf: string, projectId = 7) => (await coverage({ ...of, projectId, asOf })).found,
    errors: async (asOf: string) =>
      (await errors({ ...of, asOf, limit: 10, offset: 0 })).errors?.items.map(error => error.url) ?? null,
  }
}

const secondly = (commits: RunEvent[][]): Logged[] =>
  commits.map((events, second) => ({ at: later(second), events }))

test('A run as of a time', async t => {
  t.test('has the state, the counts and the last page that it had then', async t => {
    const { run, coverage } = await answering(...secondly(history))
    const found = []
    for (const second of history.keys()) {
      const { status, page_count, error_count } = (await run(later(second))) ?? {}
      const { lastPageId, coverage: counted } = (await coverage(later(second))) ?? {}
      t.match(counted, { status, fetched: page_count, failed: { total: error_count }, holds: true })
      found.push([status, page_count, error_count, lastPageId])
    }
    t.strictSame(found, [
      ['queued', 0, 0, 0],
      ['running', 0, 0, 0],
      ['running', 1, 0, 11],
      ['running', 2, 0, 12],
      ['running', 2, 1, 12],
      ['done', 2, 1, 12],
      ['running', 2, 0, 12],
      ['running', 3, 0, 1_005],
      ['done', 3, 0, 1_005],
    ])
  })

  t.test('has the times that were known then', async t => {
    const { run } = await answering(...secondly(history))
    t.match(await run(later(0)), { enqueued_at: start, started_at: null, finished_at: null })
    t.match(await run(later(5)), { started_at: later(1), finished_at: later(5), stop_reason: 'exhausted' })
    t.match(await run(later(6)), { finished_at: null, stop_reason: null }, 'its first end is void')
    t.match(await run(later(99)), { finished_at: later(8) })
  })

  t.test('lists the URLs that had failed then', async t => {
    const { errors } = await answering(...secondly(history))
    t.strictSame(await errors(later(3)), [])
    t.strictSame(await errors(later(5)), [url('/b')])
    t.strictSame(await errors(later(6)), [], 'they are retried')
  })

  t.test('is refused before the run began, with the time from which it can be read', async t => {
    const { run, coverage, errors } = await answering(...secondly(history))
    const refusal = {
      name: 'Refusal',
      status: 404,
      code: 'not_found',
      field: 'as_of',
      reason: 'before_crawl',
      message: `The crawl did not exist at that time: it was accepted at ${start}. Use that time or a later one.`,
    }
    const reads: ((asOf: string) => Promise<unknown>)[] = [run, coverage, errors]
    for (const read of reads) await t.rejects(read(later(-1)), refusal)
  })

  t.test('is missing if the project has no such run, and after its deletion', async t => {
    const { run, coverage, errors, append } = await answering(...secondly(history))
    t.equal(await coverage(later(5), 8), null)
    t.ok(await run(later(5)))
    await append({ at: later(20), events: [deleted] })
    t.equal(await run(later(5)), null, 'although the answer was cached')
    t.equal(await errors(later(5)), null)
    t.equal(await coverage(later(-1)), null)
    const nothing = await answering()
    t.equal(await nothing.run(later(5)), null)
  })

  t.test('has the webhook and the rules of the site that were known then', async t => {
    const webhook = (...events: DeliveryEvent[]) => ({ facet: 'webhook' as const, events })
    const attempted = {
      type: 'DeliveryAttempted',
      data: { attempt: 1, status: 500, error: 'HTTP 500', elapsedMs: 5 },
    }
    const ended = { type: 'DeliveryEnded', data: { state: 'delivered', attempts: 2, error: null } }
    const site: RunSiteEvent = {
      type: 'SitePolicyRead',
      data: {
        ...{ origin: 'https://a.example', robotsStatus: 200, aiBotPolicy: { GPTBot: 'allowed' } },
        ...{ llmsTxt: '# A\0', llmsTxtTruncated: false, llmsFullTxt: null, llmsFullTxtTruncated: false },
      },
    }
    const { run } = await answering(
      ...secondly(history),
      { facet: 'site', at: later(2), events: [site] },
      { at: later(9), ...webhook(attempted as DeliveryEvent) },
      { at: later(12), ...webhook({ type: 'LaterFact', data: {} } as never) },
      { facet: 'webhook', some: 'foreign message' } as never,
      { at: later(14), ...webhook(ended as DeliveryEvent) },
    )
    t.match(await run(later(1)), { ai_bot_policy: null, llms_txt: null, webhook_status: null })
    const known = { ai_bot_policy: { GPTBot: 'allowed' }, llms_txt: '# A', llms_full_txt: null }
    t.match(await run(later(8)), { ...known, webhook_status: null, webhook_attempts: 0 })
    for (const second of [9, 13]) {
      const pending = { webhook_status: 'pending', webhook_attempts: 1, webhook_last_error: 'HTTP 500' }
      t.match(await run(later(second)), pending)
    }
    t.match(await run(later(14)), {
      webhook_status: 'delivered',
      webhook_attempts: 2,
      webhook_last_error: null,
    })
  })
})

test('Reads of a run as of a time', async t => {
  t.test('read its events once for all times without a commit between them', async t => {
    const { coverage, reads } = await answering(...secondly(history))
    await coverage(later(4))
    await coverage(new Date(Date.parse(later(4)) + 999).toISOString())
    t.equal(reads(), 1)
    await coverage(later(5))
    t.equal(reads(), 2)
    await coverage(later(4))
    t.equal(reads(), 2)
    await coverage(later(50))
    await coverage(later(5_000))
    t.equal(reads(), 3, 'after the last commit too')
  })

  t.test('do not repeat those of the past when the run continues', async t => {
    const { coverage, append, reads } = await answering(...secondly(history.slice(0, 4)))
    await coverage(later(2))
    await coverage(later(60))
    await append({ at: later(61), events: history[4] ?? [] })
    t.match(await coverage(later(2)), { coverage: { fetched: 1 } })
    t.equal(reads(), 2)
    t.match(await coverage(later(60)), { coverage: { fetched: 2, failed: { total: 0 } } })
    t.match(await coverage(later(61)), { coverage: { fetched: 2, failed: { total: 1 } } })
    t.equal(reads(), 4, 'the latest may have had another commit')
  })

  t.test('are few at a time for a project', async t => {
    const { coverage, hold } = await answering(...secondly(history))
    const release = hold()
    const times = Array.from({ length: maxOfProject }, (_, n) => later(n % history.length))
    const reading = times.map(time => coverage(time))
    await new Promise(setImmediate)
    await t.rejects(coverage(later(3)), { name: 'Refusal', status: 429, reason: 'concurrent_requests' })
    release()
    t.notOk((await Promise.all(reading)).includes(null))
  })
})

test('At every time of any run, its counts and its list of pages agree', { timeout: 600_000 }, async t => {
  const skew = fc.array(fc.integer({ min: -2_000, max: 2_000 }), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(command, { maxLength: 25, size: 'max' }),
      someSettings,
      skew,
      async (commands, settings, skews) => {
        const logged = commitsOf(storyOf(commands, settings), skews)
        const { run, coverage } = await answering(...logged)
        for (const asOf of new Set(logged.map(({ at }) => at))) {
          const first = logged.findIndex(({ at }) => at > asOf)
          if (first === 0) continue
          const until = first < 0 ? logged : logged.slice(0, first)
          const view = await run(asOf)
          const found = await coverage(asOf)
          const listed = pagesIn(logged).filter(id => id <= (found?.lastPageId ?? 0)).length
          const counts = [view?.page_count, found?.coverage.fetched, listed, pagesIn(until).length]
          if (new Set(counts).size > 1) throw new Error(`as of ${asOf}: ${counts}`)
          if (view?.status !== found?.coverage.status || !found?.coverage.holds)
            throw new Error('no coverage')
        }
      },
    ),
    { numRuns: 60 },
  )
  t.pass('60 generated runs')
})

/** Returns a run with these commands, which ends, is reopened if it has failures, and ends again. */
function storyOf(
  commands: { command: RunCommand; aim: number | null; afterMs: number }[],
  settings: Parameters<typeof queued>[0],
): Story {
  const story = new Story(queued(settings), () => {})
  story.send(lookAfter)
  for (const { command, aim, afterMs } of commands) {
    story.now += afterMs
    story.send(aimed(command, story.run, aim))
  }
  story.ends()
  story.send({ type: 'ReopenRun' })
  story.ends()
  return story
}

/** Returns the commits of a run by writers whose clocks differ. */
function commitsOf({ journal }: Story, skews: number[]): Logged[] {
  const commits: RunCommit[] = []
  let time = ''
  for (const { event, at } of journal) {
    if (at !== time) commits.push({ at, events: [] })
    time = at
    commits.at(-1)?.events.push(event)
  }
  return commits
    .filter(({ events }) => events.every(({ type }) => type !== 'RunDeleted'))
    .map(({ at, events }, n) => ({
      at: new Date(Date.parse(at) + (skews[n % skews.length] ?? 0)).toISOString(),
      events,
    }))
}

const pagesIn = (commits: Logged[]): number[] =>
  commits.flatMap(({ events }) =>
    (events as RunEvent[]).flatMap(({ type, data }) =>
      type === 'PagesSettled' ? data.pages.map(({ id }) => id) : [],
    ),
  )
