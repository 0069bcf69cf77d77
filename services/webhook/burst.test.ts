import { consumers, streams } from '@tidemark/contracts/subjects'
import { openDatabase } from '@tidemark/db/database'
import { inTransaction } from '@tidemark/db/transaction'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { surroundings } from '@tidemark/testing/surroundings'
import { until } from '@tidemark/testing/until'
import { type Test, test } from 'tap'
import { batched } from './adapters/batched.ts'
import { recordDecisions } from './adapters/decisions.ts'
import { type Claimed, type Deliveries, openDeliveries } from './adapters/deliveries.ts'
import { database } from './database.ts'
import { began, ended, queued } from './run-events.examples.ts'
import { type Scene, startScene } from './webhook.scene.ts'

const [acme, other, third] = [7, 8, 9]
const leaseMs = 10_000

test('A burst of a thousand', async t => {
  const scene = await startScene(t)
  const { pool, receiver, append, rows } = scene
  await scene.start()
  const { port } = new URL(receiver.url)
  const burst = numbers(1, 1_000)
  for (const run of burst) await append(run, queued(run, acme, target(scene, run)), began)
  const otherRuns = numbers(2_000, 20)
  const beside = numbers(3_000, 20)
  const telling = Promise.all(burst.map(run => append(run, ended('done'))))
  const announcedAt = new Map<number, number>()
  for (const [n, run] of otherRuns.entries()) {
    const same = beside[n] ?? 0
    announcedAt.set(run, performance.now()).set(same, performance.now())
    await append(run, queued(run, other, target(scene, run, `http://localhost:${port}`)), ended('done'))
    await append(same, queued(same, third, target(scene, same)), ended('done'))
  }
  await telling
  await until(() => receiver.hits.length >= 1_040)
  await scene.untilEnded(1_040)

  t.test('is sent once per run, without postponed and repeated announcements', async t => {
    t.ok((await rows()).every(({ state, attempts }) => state === 'delivered' && attempts === 1))
    t.equal(receiver.hits.length, 1_040)
    const { rows: counted } = await pool.query('select sum(announced)::integer as sum from webhook.delivery')
    t.ok(counted[0].sum <= 1_100, `1,040 deliveries took ${counted[0].sum} messages`)
    await scene.untilPublished()
    t.strictSame(
      (await scene.facet(500)).map(({ type }) => type),
      ['DeliveryDecided', 'DeliveryAttempted', 'DeliveryEnded'],
    )
  })

  t.test('does not delay other projects, at another receiver or at the same one', async t => {
    const hitAt = new Map(receiver.hits.map(({ path, at }) => [Number(path.split('/')[1]), at]))
    for (const runs of [otherRuns, beside]) {
      const latencies = runs
        .map(run => (hitAt.get(run) ?? 0) - (announcedAt.get(run) ?? 0))
        .sort((a, b) => a - b)
      t.ok((latencies.at(-2) ?? 0) <= 2_000, `within ${Math.round(latencies.at(-2) ?? 0)} ms`)
    }
  })
})

test('A delivery that waits long for its next attempt', async t => {
  const scene = await startScene(t)
  const { bus, pool, receiver, append } = scene
  await scene.start({ WEBHOOK_WAITS_MS: '3600000,3600000,3600000,3600000' })
  const held = async () => {
    const { num_ack_pending, num_pending } = await bus.jsm.consumers.info(
      streams.deliveries,
      consumers.webhook,
    )
    return num_ack_pending + num_pending
  }
  const url = `${receiver.url}/1/fails-always`
  await append(1, queued(1, acme, { ...target(scene, 1), url }), ended('done'))
  await until(async () => receiver.hits.length === 1 && (await held()) === 0)
  const { rows } = await pool.query('select state, attempts, announced_at from webhook.delivery')
  t.strictSame(rows, [{ state: 'pending', attempts: 1, announced_at: null }])

  await pool.query('update webhook.delivery set next_at = clock_timestamp()')
  await until(() => receiver.hits.length === 2)
  await until(async () => (await held()) === 0)
  t.equal(receiver.hits.length, 2)
})

test('Concurrent deliveries', async t => {
  const { env, stack } = await surroundings(t, { database, declare: declareStreams })
  const options = { poolSize: 8, name: 'test' }
  const db = await openDatabase(env.DATABASE_URL, database, options)
  stack.defer(() => db.close())
  const { pool } = db
  const deliveries = openDeliveries(pool, leaseMs)
  const facts = { url: '', status: 'done' as const, pageCount: 1, errorCount: 0, startedAt: null }
  const decided = (runId: number) => ({
    ...{ runId, projectId: acme, event: 'crawl.done' as const, state: 'pending' as const },
    ...{ target: 'http://a.test/', facts: { ...facts, finishedAt: '', errorMessage: null }, trace: null },
    reopenings: 0,
  })

  t.test('are decided once, and found by every caller', async t => {
    const decide = (...runIds: number[]) =>
      inTransaction(pool, client => recordDecisions(client, runIds.map(decided)))
    t.equal((await decide(...numbers(1, 60), 1, 2)).length, 60)
    t.strictSame(
      (await decide(60, 61)).map(({ runId }) => runId),
      [61],
    )
    const found = await Promise.all(numbers(1, 62).map(deliveries.find))
    t.ok(found.slice(0, 61).every(due => due?.attempts === 0 && due.host === 'a.test'))
    t.equal(found[61], null)
  })

  t.test('are claimed by one caller each, for any number of callers and any order', async t => {
    const another = openDeliveries(pool, leaseMs)
    const runs = numbers(1, 60)
    const requested = [...runs.map(deliveries.claim), ...runs.map(deliveries.claim)]
    const claims = await Promise.all([...requested, ...runs.toReversed().map(another.claim)])
    const claimed = claims.flatMap(claim => claim ?? [])
    t.strictSame(
      claimed.map(({ runId }) => runId).sort((a, b) => a - b),
      runs,
    )
    const { rows } = await pool.query('select sum(attempts)::integer as sum from webhook.delivery')
    t.equal(rows[0].sum, 60)
    await isRecordedOnce(t, deliveries, claimed)
  })

  t.test('fail alone if one of them causes the error', async t => {
    let tries = 0
    const square = batched(async (numbers: number[]) => {
      tries++
      if (!numbers.includes(13)) return numbers.map(number => number * number)
      throw Object.assign(new Error('no such value'), { code: '22P02' })
    }, 16)
    const answers = await Promise.allSettled(numbers(1, 40).map(square))
    t.strictSame(
      answers.flatMap(({ status }, n) => (status === 'rejected' ? [n + 1] : [])),
      [13],
    )
    t.match(answers[39], { value: 1_600 })
    t.equal(tries, 11, 'three batches, and four halvings of one batch')
  })

  t.test('all fail when the database fails, and are retried on request', async t => {
    let isAway = true
    const echo = batched(async (numbers: number[]) => {
      if (isAway) throw new Error('the database is away')
      return numbers
    }, 16)
    const answers = await Promise.allSettled(numbers(1, 20).map(echo))
    t.ok(answers.every(({ status }) => status === 'rejected'))
    isAway = false
    t.strictSame(await Promise.all(numbers(1, 20).map(echo)), numbers(1, 20))
  })
})

/** Attempts whose claim was lost are not recorded. The others are. */
async function isRecordedOnce(t: Test, deliveries: Deliveries, claimed: Claimed[]): Promise<void> {
  const outcome = { status: 200, error: null, isRefused: false, excerpt: null, elapsedMs: 12 }
  const resultOf = (claim: Claimed) => ({
    ...{ claimed: claim, outcome, endedAt: performance.now() },
    verdict: { state: 'delivered' as const },
  })
  const lost = claimed.map(claim => (claim.runId === 30 ? { ...claim, attempt: 2 } : claim))
  const ids = await Promise.all(lost.map(claim => deliveries.record(resultOf(claim))))
  t.equal(new Set(ids.filter(id => id !== null)).size, 59)
  t.equal(ids[lost.findIndex(({ runId }) => runId === 30)], null)
  t.strictSame(await Promise.all(claimed.slice(0, 3).map(claim => deliveries.record(resultOf(claim)))), [
    null,
    null,
    null,
  ])
}

const numbers = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n)

const target = ({ receiver }: Scene, run: number, base = receiver.url) => ({
  url: `${base}/${run}/ok`,
  events: ['crawl.done' as const],
  onlyChanged: false,
})
