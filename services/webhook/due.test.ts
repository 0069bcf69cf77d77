/**
 * Due deliveries: at an endpoint that is broken for a project, only few of that project are announced. Those whose message
 * was not stored are announced again. A late result changes no later round.
 */
import type { Bus } from '@tidemark/bus/connection'
import { streams } from '@tidemark/contracts/subjects'
import { openDatabase } from '@tidemark/db/database'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { surroundings } from '@tidemark/testing/surroundings'
import { test } from 'tap'
import { announce, findDue } from './adapters/announcements.ts'
import { type Claimed, type Deliveries, openDeliveries } from './adapters/deliveries.ts'
import { overdueSeconds } from './adapters/overdue.ts'
import { database } from './database.ts'

const [acme, other] = [7, 8]

test('Due deliveries', async t => {
  const { bus, env, stack } = await surroundings(t, { database, declare: declareStreams })
  const db = await openDatabase(env.DATABASE_URL, database, { poolSize: 2, name: 'test' })
  stack.defer(() => db.close())
  const { pool } = db
  let runs = 0
  /** Stores a number of deliveries, each due a millisecond after the one before. */
  async function store(projectId: number, host: string, count: number): Promise<void> {
    await pool.query(
      `insert into webhook.delivery (run_id, project_id, url, host, event, webhook_id, state, next_at)
       select $1::bigint + n, $2::bigint, '', $3, 'crawl.done', '', 'pending',
         clock_timestamp() - interval '1 minute' + make_interval(secs => n / 1000.0)
       from generate_series(1, $4::integer) as n`,
      [runs, projectId, host, count],
    )
    runs += count
  }
  const found = async (broken: { projectId: number; host: string }[]) => {
    const counts: Record<string, number> = {}
    for (const { projectId, host } of await findDue(pool, { graceMs: 1_000, perHost: 8, broken })) {
      const name = `${projectId} ${host}`
      counts[name] = (counts[name] ?? 0) + 1
    }
    return counts
  }
  await store(acme, 'shared', 50)
  await store(acme, 'own', 50)
  await store(other, 'shared', 50)

  await t.test('of several projects share a host', async t => {
    t.strictSame(await found([]), { '7 shared': 4, '7 own': 8, '8 shared': 4 })
  })

  await t.test('of one project are few at an endpoint that is broken for it', async t => {
    const broken = { projectId: acme, host: 'shared' }
    t.strictSame(await found([broken]), { '7 shared': 2, '7 own': 8, '8 shared': 6 })
    const foreign = { projectId: other, host: 'own' }
    t.strictSame(await found([foreign]), await found([]), 'only for it')
    const all = [acme, other].flatMap(projectId => ['shared', 'own'].map(host => ({ projectId, host })))
    t.strictSame(await found(all), { '7 shared': 2, '7 own': 2, '8 shared': 2 })
  })

  await t.test('are more at a broken endpoint if they are retries, beside its trials', async t => {
    await pool.query(
      `update webhook.delivery set attempts = 1 where host = 'shared' and run_id between 1 and 5`,
    )
    t.strictSame(await found([{ projectId: acme, host: 'shared' }]), {
      ...{ '7 shared': 5, '7 own': 8, '8 shared': 3 },
    })
    await pool.query('update webhook.delivery set attempts = 0')
  })

  await t.test('are overdue unless their endpoint is broken', async t => {
    const broken = (projectId: number, host: string) => ({ projectId, host })
    t.ok((await overdueSeconds(pool, [])) > 50)
    t.ok((await overdueSeconds(pool, [broken(acme, 'shared'), broken(acme, 'own')])) > 50)
    const all = [broken(acme, 'shared'), broken(acme, 'own'), broken(other, 'shared')]
    t.equal(await overdueSeconds(pool, all), 0)
  })

  await t.test('are found in time with thousands of broken endpoints', async t => {
    const many = Array.from({ length: 10_000 }, (_, n) => ({ projectId: n, host: `host-${n}` }))
    await store(other, 'busy', 5_000)
    const from = performance.now()
    t.match(await found(many), { '8 busy': 8 })
    t.comment(`${Math.round(performance.now() - from)} ms`)
  })

  /** Returns the due rows of a project, by their ids. */
  const dueOf = async (projectId: number) => {
    const rows = await findDue(pool, { graceMs: 1_000, perHost: 2_000, broken: [] })
    return rows.filter(row => row.projectId === projectId).sort((a, b) => a.runId - b.runId)
  }
  const messages = async () => (await bus.jsm.streams.info(streams.deliveries)).state.last_seq
  const wait = (projectId: number, count: number) => store(projectId, 'waiting', count)

  await t.test('are announced again under the next number after a duplicate', async t => {
    await wait(20, 2)
    const [before, rows] = [await messages(), await dueOf(20)]
    await announce(bus, pool, rows)
    t.strictSame(await dueOf(20), [])
    // The announcer died before it recorded the first message, and the delivery was postponed.
    await pool.query(`update webhook.delivery set announced = 0, announced_at = null where run_id = $1`, [
      rows[0]?.runId,
    ])
    await announce(bus, pool, await dueOf(20))
    const again = await dueOf(20)
    t.match(again, [{ runId: rows[0]?.runId, announced: 1 }])
    t.equal(await messages(), before + 2, 'the duplicate was not stored')
    await announce(bus, pool, again)
    t.equal(await messages(), before + 3)
    t.strictSame(await dueOf(20), [])
  })

  await t.test('are announced again alone if their message failed', async t => {
    await wait(21, 3)
    const [before, rows] = [await messages(), await dueOf(21)]
    const failing = `{"runId":${rows[1]?.runId}}`
    const publish = async (subject: string, payload: Uint8Array, options: object) => {
      if (Buffer.from(payload).toString() === failing) throw new Error('the stream is away')
      return bus.js.publish(subject, payload, options)
    }
    await t.rejects(announce({ ...bus, js: { publish } } as unknown as Bus, pool, rows), { message: /away/ })
    const left = await dueOf(21)
    t.match(left, [{ runId: rows[1]?.runId, announced: 0 }])
    await announce(bus, pool, left)
    t.equal(await messages(), before + 3)
    t.strictSame(await dueOf(21), [])
  })

  const outcome = { status: 200, error: null, isRefused: false, excerpt: null, elapsedMs: 1 }
  const recording = (deliveries: Deliveries) => (claimed: Claimed) =>
    deliveries.record({ claimed, outcome, verdict: { state: 'delivered' }, endedAt: performance.now() })
  const events = async () => (await pool.query('select from webhook.outbox')).rowCount ?? 0

  await t.test('keep their state if a late result is of an earlier round', async t => {
    const deliveries = openDeliveries(pool, 20_000)
    const record = recording(deliveries)
    await wait(22, 1)
    const [first, second] = await claimTwice(deliveries, runs)
    t.match(
      [first, second].map(({ round, attempt }) => [round, attempt]),
      [
        [1, 1],
        [2, 1],
      ],
    )
    t.equal(await record(first), null)
    t.match(await deliveries.find(runs), { attempts: 1, isSending: true })
    t.ok(await record(second))
    t.equal(await deliveries.find(runs), null)

    await wait(23, 1)
    const both = await claimTwice(deliveries, runs)
    const before = await events()
    const [late, current] = await Promise.all(both.map(record))
    t.equal(late, null, 'also if one statement records both')
    t.ok(current)
    t.equal(await events(), before + 1)
  })

  await t.test('keep their state if a late result is of an earlier attempt of the round', async t => {
    const deliveries = openDeliveries(pool, 20_000)
    const record = recording(deliveries)
    await wait(24, 1)
    const both = await claimTwice(deliveries, runs, 'round = 1')
    t.match(both, [{ attempt: 1 }, { attempt: 2 }])
    const before = await events()
    const [late, current] = await Promise.all(both.map(record))
    t.equal(late, null)
    t.ok(current)
    t.equal(await events(), before + 1)
  })

  await t.test('have no attempt before they are due', async t => {
    const deliveries = openDeliveries(pool, 20_000)
    await wait(25, 1)
    const soon = `update webhook.delivery set next_at = clock_timestamp() + interval '200 milliseconds'
      where run_id = $1 returning next_at`
    const { rows: due } = await pool.query(soon, [runs])
    await recording(deliveries)((await deliveries.claim(runs)) as Claimed)
    const { rows } = await pool.query('select at from webhook.attempt where run_id = $1', [runs])
    t.strictSame(rows, [{ at: due[0]?.next_at }])
  })

  /** Claims a delivery twice. The row changes during the first attempt, by default by a second round. */
  async function claimTwice(
    deliveries: Deliveries,
    runId: number,
    change = 'round = 2, attempts = 0',
  ): Promise<[Claimed, Claimed]> {
    const first = (await deliveries.claim(runId)) as Claimed
    await pool.query(
      `update webhook.delivery set ${change}, is_sending = false, next_at = clock_timestamp() where run_id = $1`,
      [runId],
    )
    return [first, (await deliveries.claim(runId)) as Claimed]
  }
})
