/** The concurrent judgements of intents: their division among projects, and a stream that is full. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { DiffCommit } from '@tidemark/contracts/diff'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { jetStreamEventStore } from '@tidemark/eventstore/jetstream'
import { until } from '@tidemark/testing/until'
import { type Test, test } from 'tap'
import { judgeIntents } from './judge-intents.ts'
import { streamAndRows } from './stream-and-rows.scene.ts'

const counts = { added: 1, removed: 0, changed: 0, unchanged: 0, notRevisited: 0, notCompared: 0 }

const ports = {
  models: {
    offer: async () => ({ host: 'model.example', name: 'small-model' }) as never,
    consent: async () => ({ host: 'model.example' }) as never,
    reserveCall: async () => ({ granted: true, cap: 9, retryAfterSeconds: 0 }),
    judge: async () => ({ matched: null, reason: 'none', quotes: [], use: null }),
  },
  metering: { served: async () => {}, release: () => {} } as never,
}

/** A bus and a read model. `store` adds compared runs that have an intent. */
async function installation(t: Test) {
  const { bus, pool, stop } = await streamAndRows(t)
  const events = jetStreamEventStore(bus, streams.runs)
  const store = async (projectId: number, ids: readonly number[]) => {
    for (const runId of ids) {
      const data = { runId, projectId, previousRunId: 1, counts }
      const commit: DiffCommit = { at: new Date().toISOString(), events: [{ type: 'RunCompared', data }] }
      await events.append(subjects.run(runId, 'diff'), 0, commit)
    }
    await pool.query(
      `insert into read.run (id, project_id, previous_run_id, url, status, page_count, enqueued_at, finished_at, intent, diff)
       select n, $1, 1, '', 'done', 1, now(), now(), 'prices', $3 from unnest($2::bigint[]) n`,
      [projectId, ids, counts],
    )
  }
  return { bus, pool, events, store, stop }
}

test('Slow judgements of one project do not delay those of another', async t => {
  const { bus, pool, store, stop } = await installation(t)
  await store(7, [101, 102, 103, 104, 105, 106, 107, 108, 109])
  const begun: number[] = []
  const ended = judgeIntents({
    bus,
    pool,
    linesOf: async ({ newRun }) => {
      begun.push(newRun)
      await sleep(120_000, undefined, { signal: stop.signal })
      return { pages: [], isPart: false }
    },
    ...ports,
    signal: stop.signal,
    report: error => t.error(error),
  })
  await until(() => begun.length >= 2)
  await store(8, [901])
  await until(() => begun.includes(901))
  stop.abort()
  await ended
  t.strictSame(begun, [101, 102, 901])
})

test('A judgement is appended once its stream has space again', async t => {
  const { bus, pool, events, store, stop } = await installation(t)
  await store(7, [101])
  const { config } = await bus.jsm.streams.info(streams.runs)
  const limit = (max_bytes: number) =>
    bus.jsm.streams.update(streams.runs, { ...config, max_bytes, discard: 'new' })
  const reported: unknown[] = []
  const ended = judgeIntents({
    bus,
    pool,
    linesOf: async () => {
      await limit(1)
      return { pages: [], isPart: false }
    },
    ...ports,
    signal: stop.signal,
    report: error => reported.push(error),
  })
  await until(() => reported.length > 0)
  await limit(-1)
  const judged = async () => (await events.last<DiffCommit>(subjects.run(101, 'diff')))?.commit.events[0]
  await until(async () => (await judged())?.type === 'IntentJudged')
  t.match(await judged(), { data: { runId: 101, matched: null, reason: 'not_stored' } })
  stop.abort()
  await ended
})
