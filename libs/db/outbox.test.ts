import { setTimeout as sleep } from 'node:timers/promises'
import { nanos } from '@nats-io/transport-node'
import { type Bus, openBus } from '@tidemark/bus/connection'
import { freshDatabase, throwawayNats } from '@tidemark/testing/servers'
import { patient } from '@tidemark/testing/slowness'
import pg from 'pg'
import { type Test, test } from 'tap'
import { enqueue, enqueueAll, outboxTable, relay } from './outbox.ts'
import { takeFirstRows } from './outbox-rows.ts'
import { inTransaction } from './transaction.ts'

const schema = 'things'

test('An outbox', async t => {
  const database = await freshDatabase()
  t.teardown(() => database.drop())
  const nats = await throwawayNats()
  t.teardown(() => nats.stop())
  const pool = new pg.Pool({ connectionString: database.url, max: 8 })
  pool.on('error', () => {})
  t.teardown(() => pool.end())
  const bus = await openBus({ url: nats.url, name: 'test' })
  t.teardown(() => bus.close())
  const windows = { things: 120_000, brief: 100 }
  for (const [name, ms] of Object.entries(windows)) {
    const duplicate_window = nanos(ms)
    await bus.jsm.streams.add({ name, subjects: [`${name}.*`], allow_direct: true, duplicate_window })
  }
  await pool.query(`create schema ${schema}; ${outboxTable(schema)}`)

  const put = (subject: string, text: string, expectLast: number | 'any' = 'any') =>
    inTransaction(pool, client =>
      enqueue(client, schema, {
        subject,
        payload: Buffer.from(text),
        headers: { Origin: 'test' },
        ...(expectLast !== 'any' && { expectLast }),
      }),
    )

  /** Makes all rows older. */
  const grow = (seconds: number) =>
    pool.query(`update ${schema}.outbox set created_at = created_at - make_interval(secs => $1)`, [seconds])

  const rowsLeft = async () => (await pool.query(`select from ${schema}.outbox`)).rowCount

  t.test(
    'returns the sequence of a row that is published at once, with bytes and headers as written',
    async t => {
      const { publishNow } = relaying(t)
      const id = await put('things.at-once', 'a')
      const sequence = await publishNow(id)
      const message = await bus.jsm.direct.getMessage('things', { seq: sequence })
      t.equal(message?.string(), 'a')
      t.equal(message?.header.get('Origin'), 'test')
      t.equal(await publishNow(id), sequence, 'and returns it again to later callers')
    },
  )

  t.test('returns the sequence of each row when all are published', async t => {
    const ids = [await put('things.all', '1'), await put('things.all', '2'), await put('things.others', '3')]
    const sequences = await relaying(t).flush()
    t.strictSame([...sequences.keys()], ids)
    const seq = sequences.get(ids[1] ?? 0) ?? 0
    t.equal((await bus.jsm.direct.getMessage('things', { seq }))?.string(), '2')
    await untilEmpty()
  })

  t.test('publishes many at once in order, with concurrent writers on the same subjects', async t => {
    const write = (subjects: string[]) =>
      inTransaction(pool, client =>
        enqueueAll(
          client,
          schema,
          subjects.map((subject, n) => ({
            ...{ subject: `things.${subject}`, payload: Buffer.from(`${n}`), headers: { Origin: 'test' } },
            ...(subject === 'fenced-1' && { expectLast: 0 }),
          })),
        ),
      )
    t.strictSame(await write([]), [])
    const subjects = Array.from({ length: 20 }, (_, n) => `fenced-${n}`)
    const [first = [], second = []] = await Promise.all([write(subjects), write(subjects.slice(2).reverse())])
    for (const ids of [first, second])
      t.strictSame(
        ids,
        ids.toSorted((a, b) => a - b),
      )
    await relaying(t).flush()
    await untilEmpty()
    t.strictSame(await stored('things.fenced-1'), [{ id: `things-${first[1]}`, text: '1' }])
    t.strictSame((await stored('things.fenced-19')).map(({ text }) => text).sort(), ['0', '19'])
  })

  t.test('stores no rows of a transaction that fails', async t => {
    const failing = inTransaction(pool, async client => {
      await enqueue(client, schema, { subject: 'things.failed', payload: Buffer.from('never') })
      throw new Error('no')
    })
    await t.rejects(failing, { message: 'no' })
    t.equal(await rowsLeft(), 0)
  })

  t.test('publishes each row once and each subject in order, with any number of relays', async t => {
    const relays = [relaying(t), relaying(t), relaying(t)]
    const subjects = Array.from({ length: 7 }, (_, n) => `things.many-${n}`)
    const puts = Array.from({ length: 300 }, (_, n) => put(subjects[n % 7] ?? '', String(n)))
    await Promise.all(puts)
    await grow(10)
    await Promise.all(relays.map(({ flush }) => flush().catch(error => t.equal(error.name, 'NoSuchRow'))))
    await untilEmpty()
    const found = await Promise.all(subjects.map(stored))
    t.equal(found.flat().length, 300)
    t.equal(new Set(found.flat().map(({ text }) => text)).size, 300)
    for (const messages of found) {
      const ids = messages.map(({ id }) => Number(id.replace('things-', '')))
      t.strictSame(
        ids,
        ids.toSorted((a, b) => a - b),
      )
    }
  })

  // Found by a batch of 10,000 scans: a search in quadratic time published one bill a second.
  t.test('finds the first row of a subject that has thousands', { timeout: patient(5_000) }, async t => {
    await pool.query(`
      insert into ${schema}.outbox (subject, payload, headers, created_at)
      select 'things.busy', 'x', '{}', now() - interval '1 minute' from generate_series(1, 20000)`)
    await pool.query(`analyze ${schema}.outbox`)
    const first = await inTransaction(pool, client =>
      takeFirstRows(client, schema, { ids: [], ageSeconds: 2 }),
    )
    t.match(first, [{ subject: 'things.busy' }])
    t.equal(first.length, 1)
    await pool.query(`truncate ${schema}.outbox`)
  })

  t.test('publishes the rows of a stream behind hundreds of another stream, which is full', async t => {
    const limits = { max_msgs: 1, discard: 'new' as const, allow_direct: true }
    await bus.jsm.streams.add({ name: 'full', subjects: ['full.*'], ...limits })
    await bus.js.publish('full.first', 'the only one')
    await pool.query(
      `insert into ${schema}.outbox (subject, payload, headers)
       select 'full.' || n, 'x', '{}' from generate_series(1, 300) as n`,
    )
    await put('things.behind-full', 'a')
    await put('things.behind-full', 'b')
    await grow(10)
    relaying(t)
    await until(async () => (await rowsLeft()) === 300)
    t.match(await stored('things.behind-full'), [{ text: 'a' }, { text: 'b' }])
    await bus.jsm.streams.update('full', { max_msgs: -1 })
    await untilEmpty()
    const { state } = await bus.jsm.streams.info('full')
    t.equal(state.messages, 301, 'and all of the full stream after it has capacity')
  })

  t.test('takes few rows at once if they are large, and publishes all', async t => {
    const MB = 1024 ** 2
    const take = () =>
      inTransaction(pool, client => takeFirstRows(client, schema, { ids: [], ageSeconds: 2 }))
    await pool.query(
      `insert into ${schema}.outbox (subject, payload, headers)
       select 'things.large-' || n, convert_to(repeat('x', $1), 'UTF8'), '{}' from generate_series(1, 40) as n`,
      [MB],
    )
    await put('things.too-large', 'x'.repeat(20 * MB))
    await put('things.after', 'small')
    await grow(10)
    t.equal((await take()).length, 16)
    await pool.query(`delete from ${schema}.outbox where subject like 'things.large-%'`)
    t.match(await take(), [{ subject: 'things.too-large' }], 'but at least one')
    await pool.query(`delete from ${schema}.outbox where subject = 'things.too-large'`)
    t.match(await take(), [{ subject: 'things.after' }])
    await pool.query(`truncate ${schema}.outbox`)

    await pool.query(
      `insert into ${schema}.outbox (subject, payload, headers)
       select 'things.large-' || n, convert_to(repeat('x', $1), 'UTF8'), '{}' from generate_series(1, 40) as n`,
      [MB / 2],
    )
    const sequences = await relaying(t).flush()
    t.equal(sequences.size, 40)
    await untilEmpty()
  })

  for (const [kind, fence] of [
    ['plain', 'any'],
    ['fenced', 0],
  ] as const) {
    t.test(`publishes ${kind} rows with the numbers of rows that a failover lost`, async t => {
      // Given rows that are published, and a Postgres that has forgotten them.
      const subjects = [`things.lost-${kind}`, `things.new-${kind}`] as const
      const { publishNow } = relaying(t)
      const lost = await put(subjects[0], 'lost', fence)
      const last = await publishNow(lost)
      const again = async (subject: string, text: string, expectLast: number | 'any') => {
        await pool.query(`alter table ${schema}.outbox alter id restart with ${lost}`)
        t.equal(await put(subject, text, expectLast), lost)
      }
      for (const [subject, text, expectLast] of [
        [subjects[1], 'on another subject', fence],
        [subjects[0], 'on the same', fence === 'any' ? fence : last],
      ] as const) {
        // When a new row has the number of a lost one, even if it is published twice, as after a kill.
        await again(subject, text, expectLast)
        const sequence = await relaying(t).publishNow(lost)
        await again(subject, text, expectLast)
        t.equal(await relaying(t).publishNow(lost), sequence)
      }
      // Then both are in the stream, once.
      const texts = async (subject: string) => (await stored(subject)).map(({ text }) => text)
      t.strictSame(await texts(subjects[0]), ['lost', 'on the same'])
      t.strictSame(await texts(subjects[1]), ['on another subject'])
      await pool.query(`alter table ${schema}.outbox alter id restart with ${lost + 1_000}`)
    })
  }

  t.test('sweeps unpublished rows in order', async t => {
    const ids = [await put('things.swept', '1'), await put('things.swept', '2', 'any')]
    relaying(t)
    await grow(10)
    await untilEmpty()
    t.strictSame(await stored('things.swept'), [
      { id: `things-${ids[0]}`, text: '1' },
      { id: `things-${ids[1]}`, text: '2' },
    ])
  })

  for (const [kind, fence] of [
    ['plain', 'any'],
    ['fenced', 0],
  ] as const) {
    t.test(`outlives a kill of the server between store and response, ${kind}`, async t => {
      const subject = `things.killed-${kind}`
      const id = await put(subject, 'once', fence)
      const { publishNow } = relaying(t, { bus: beforeFirstAnswer(nats.restart) })
      const sequence = await publishNow(id)
      t.equal((await bus.jsm.direct.getMessage('things', { last_by_subj: subject }))?.seq, sequence)
      await untilEmpty()
      t.equal((await stored(subject)).length, 1)
    })

    t.test(`outlives a crash between publish and removal beyond the duplicate window, ${kind}`, async t => {
      const subject = `brief.crashed-${kind}`
      const crashing = relaying(t, { pool: forgetful() })
      const sequence = await crashing.publishNow(await put(subject, 'once', fence))
      await crashing.close()
      t.equal(await rowsLeft(), 1)
      await sleep(3 * windows.brief)
      await grow(600)
      relaying(t)
      await untilEmpty()
      t.equal((await bus.jsm.direct.getMessage('brief', { last_by_subj: subject }))?.seq, sequence)
      t.equal((await stored(subject)).length, 1)
    })
  }

  t.test(
    'reports a row whose position has a foreign message, and keeps it and the following rows',
    async t => {
      await bus.js.publish('things.taken', 'foreign')
      const ids = [await put('things.taken', 'ours', 0), await put('things.taken', 'next')]
      const { publishNow, close, reports } = relaying(t)
      await t.rejects(publishNow(ids[0] ?? 0), { name: 'Conflict' })
      await t.rejects(publishNow(ids[1] ?? 0), { name: 'AggregateError', errors: [{ name: 'Conflict' }] })
      await close()
      t.match(reports.at(0), {
        errors: [{ name: 'Conflict' }],
        message: /1 of 1 rows of things.outbox could not be published/,
      })
      t.equal(await rowsLeft(), 2)
      await pool.query(`delete from ${schema}.outbox`)
    },
  )

  t.test('outlives the end of its connection to the database while it publishes', async t => {
    const id = await put('things.cut', 'once')
    const cut = () =>
      pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and state = 'idle in transaction'`,
      )
    const { publishNow } = relaying(t, { bus: beforeFirstAnswer(cut) })
    await publishNow(id)
    await untilEmpty()
    t.equal((await stored('things.cut')).length, 1)
  })

  t.test('publishes for the last callers of a service that stops', async t => {
    const { publishNow, close } = relaying(t)
    const during = await put('things.stopping', 'during')
    const published = publishNow(during)
    await close()
    t.equal(typeof (await published), 'number')
    const after = await put('things.stopping', 'after')
    t.equal(typeof (await publishNow(after)), 'number')
    t.strictSame(
      (await stored('things.stopping')).map(({ text }) => text),
      ['during', 'after'],
    )
    await t.rejects(publishNow(1_000_000), { name: 'NoSuchRow' })
  })

  t.test('rejects the last callers if their rows cannot be published', async t => {
    const away = {
      ...bus,
      js: { ...bus.js, publish: () => Promise.reject(new Error('away')) },
    } as unknown as Bus
    const { publishNow, close } = relaying(t, { bus: away })
    await close()
    const id = await put('things.stuck', 'never')
    await t.rejects(publishNow(id))
    await pool.query(`delete from ${schema}.outbox where id = $1`, [id])
  })

  async function untilEmpty(): Promise<void> {
    await until(async () => (await rowsLeft()) === 0)
  }

  async function until(holds: () => Promise<boolean>): Promise<void> {
    for (let look = 0; look < 400 && !(await holds()); look++) await sleep(25)
    if (!(await holds())) throw new Error(`${await rowsLeft()} rows are left`)
  }

  async function stored(subject: string): Promise<{ id: string; text: string }[]> {
    const found: { id: string; text: string }[] = []
    const stream = subject.split('.')[0] ?? ''
    for (let seq = 1; ; ) {
      const message = await bus.jsm.direct.getMessage(stream, { seq, next_by_subj: subject })
      if (message === null) return found
      found.push({ id: message.header.get('Nats-Msg-Id'), text: message.string() })
      seq = message.seq + 1
    }
  }

  /** Starts a relay that stops with its test. */
  function relaying(t: Test, instead: { bus?: Bus; pool?: pg.Pool } = {}) {
    const stop = new AbortController()
    const reports: unknown[] = []
    const report = (error: unknown) => void reports.push(error)
    const started = relay({ bus, pool, schema, signal: stop.signal, report, ...instead })
    const close = () => {
      stop.abort()
      return started.close()
    }
    t.teardown(close)
    return { ...started, close, reports }
  }

  /** Returns a bus that runs `happen` between the store of its first message and the response. */
  function beforeFirstAnswer(happen: () => Promise<unknown>): Bus {
    let isFirst = true
    const publish: Bus['js']['publish'] = async (...message) => {
      const answer = await bus.js.publish(...message)
      if (isFirst) {
        isFirst = false
        await happen()
      }
      return answer
    }
    const get = (js: Bus['js'], name: string | symbol) =>
      name === 'publish' ? publish : Reflect.get(js, name)
    return { ...bus, js: new Proxy(bus.js, { get }) }
  }

  /** Returns a pool whose connections break when a row is removed. */
  function forgetful(): pg.Pool {
    const connect = async () => {
      const client = await pool.connect()
      const query = async (text: string, values?: unknown[]) => {
        if (text.startsWith('delete')) throw new Error('crashed')
        return client.query(text, values)
      }
      return new Proxy(client, {
        get: (target, name) => (name === 'query' ? query : Reflect.get(target, name)),
      })
    }
    const own = { connect, query: pool.query.bind(pool) }
    return new Proxy(pool, { get: (target, name) => Reflect.get(name in own ? own : target, name) })
  }
})
