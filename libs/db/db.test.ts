import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import tls from 'node:tls'
import { defineEntity, p } from '@mikro-orm/postgresql'
import { Unreadable } from '@tidemark/bus/codec'
import { type Bus, openBus } from '@tidemark/bus/connection'
import { publish } from '@tidemark/bus/publish'
import type { StreamMessage } from '@tidemark/bus/read'
import { healthOf } from '@tidemark/bus/troubles'
import { faultOf } from '@tidemark/bus/troubles.scene'
import { selfSigned } from '@tidemark/testing/origin-certificate'
import { type FreshDatabase, freshDatabase, type Throwaway, throwawayNats } from '@tidemark/testing/servers'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { test } from 'tap'
import { checkpointTable, checkpointTimes, readCheckpoint } from './checkpoint.ts'
import { type Database, defineDatabase, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { ofProject } from './of-project.ts'
import { type Projection, runProjection } from './projector.ts'
import { watchDatabase } from './watch.ts'

const PageSchema = defineEntity({
  name: 'Page',
  tableName: 'page',
  properties: {
    id: p.bigint('number').primary(),
    title: p.text(),
    seenAt: p.datetime(),
    facts: p.json<{ links: number }>().nullable(),
  },
})
class Page extends PageSchema.class {}
PageSchema.setClass(Page)

const M0001Pages = [
  'create table "read".page (id bigint primary key, title text not null, seen_at timestamptz not null, facts jsonb)',
  checkpointTable('read'),
  checkpointTimes('read'),
]
const M0002Seen = [
  'create table "read".seen (sequence bigint primary key, subject text not null, body bytea)',
]
const M0005Found = {
  alone: [
    'drop index concurrently if exists "read".seen_of_body',
    'create index concurrently seen_of_body on "read".seen (subject)',
  ],
}
const M0006Found = {
  alone: [
    'drop index concurrently if exists "read".found_again',
    'create index concurrently found_again on "read".seen (subject)',
  ],
}
const M0007Widened = ['alter table "read".page add column more text']
const M0003Widened = ['alter table "read".page add column note text']
const M0004Broken = ['alter table "read".no_such_table add column note text']
const M0003Broken = ['create table "read".half (id int)', 'select no_such_function()']

const read = defineDatabase({ schema: 'read', entities: [Page], migrations: { M0001Pages, M0002Seen } })
const ignore = () => {}

test('A database that is watched', async t => {
  const fresh = await freshDatabase()
  t.teardown(() => fresh.drop())
  await migrate(fresh.url, read)
  const database = await openDatabase(fresh.url, read, { poolSize: 2, name: 'watched' })
  t.teardown(() => database.close())
  const bus = { nc: {} } as Bus
  const later = { ...read, migrations: { ...read.migrations, M0003Widened } }
  await using _watching = watchDatabase({ bus, pool: database.pool, database: later })
  await until(
    () => healthOf(bus.nc).starting.join() === 'starting: schema read waits for migration M0003Widened',
  )
  await migrate(fresh.url, later)
  await until(() => healthOf(bus.nc).starting.length === 0, 5_000)
  t.equal(faultOf(bus.nc), null)

  await t.test('reports a full disk until a write succeeds', async t => {
    const refused = `do $$ begin raise sqlstate '53100' using message = 'could not extend file'; end $$`
    await t.rejects(database.pool.query(refused), { code: '53100' })
    t.match(faultOf(bus.nc), /^disk_full: /)
    await until(() => faultOf(bus.nc) === null, 5_000)
  })

  await t.test('reports no full disk if the memory of a parallel query was full', async t => {
    for (const text of [
      'could not resize shared memory segment "/PostgreSQL.3421" to 8388608 bytes: No space left on device',
      'konnte Größe des Shared-Memory-Segments »/PostgreSQL.3421« nicht auf 8388608 Bytes ändern',
    ]) {
      const refused = `do $$ begin raise sqlstate '53100' using message = '${text}'; end $$`
      await t.rejects(database.pool.query(refused), { code: '53100' })
      t.equal(faultOf(bus.nc), null)
    }
  })

  await t.test('reports that it is read-only', async t => {
    const { pathname } = new URL(fresh.url)
    const name = pathname.slice(1)
    await database.pool.query(`alter database ${name} set default_transaction_read_only = on`)
    await inSession(database.pool, [])
    await until(() => /^database_read_only: /.test(faultOf(bus.nc) ?? ''))
    await inSession(database.pool, [
      'set default_transaction_read_only = off',
      `alter database ${name} reset default_transaction_read_only`,
    ])
    await until(() => faultOf(bus.nc) === null, 10_000)
    t.pass('until it accepts writes')
  })
})

/** Runs the statements on one connection, and closes all connections then. */
async function inSession(pool: pg.Pool, statements: string[]): Promise<void> {
  const clients = await Promise.all([pool.connect(), pool.connect()])
  for (const statement of statements) await clients[0]?.query(statement)
  for (const client of clients) client.release(true)
}

test('A database', async t => {
  const fresh = await freshDatabase()
  t.teardown(() => fresh.drop())

  await t.test('is migrated once, with any number of concurrent jobs', async t => {
    const ran = await Promise.all(Array.from({ length: 4 }, () => migrate(fresh.url, read)))
    t.strictSame(ran.flat(), ['M0001Pages', 'M0002Seen'])
    t.strictSame(await migrate(fresh.url, read), [])
  })

  await t.test(
    'serves other statements while a migration waits for a lock, and is migrated then',
    async t => {
      const busy = new pg.Client({ connectionString: fresh.url })
      await busy.connect()
      await busy.query('begin')
      await busy.query('select 1 from "read".page')
      const met: Error[] = []
      const widened = { ...read, migrations: { M0001Pages, M0002Seen, M0003Widened } }
      const ran = migrate(fresh.url, widened, { lockMs: 200, report: error => met.push(error) })
      await until(() => met.length > 0)
      const others = new pg.Client({ connectionString: fresh.url })
      await others.connect()
      const began = performance.now()
      await others.query('select 1 from "read".page')
      t.ok(performance.now() - began < 1_000, 'no statement waits for long behind a waiting migration')
      await others.end()
      await busy.query('commit')
      await busy.end()
      t.strictSame(await ran, ['M0003Widened'])
      await t.rejects(migrate(fresh.url, { ...widened, migrations: { ...widened.migrations, M0004Broken } }))
    },
  )

  await t.test('gets an index beside writers and concurrent migrations', async t => {
    const indexed = { ...read, migrations: { M0001Pages, M0002Seen, M0003Widened, M0005Found } }
    const ran = await Promise.all(Array.from({ length: 4 }, () => migrate(fresh.url, indexed)))
    t.strictSame(ran.flat(), ['M0005Found'])
  })

  await t.test('gets an index beside an earlier transaction, which it waits for', async t => {
    const reader = new pg.Client({ connectionString: fresh.url })
    await reader.connect()
    await reader.query('begin isolation level repeatable read')
    await reader.query('select 1')
    const migrations = { M0001Pages, M0002Seen, M0003Widened, M0005Found, M0006Found, M0007Widened }
    const met: Error[] = []
    const ran = migrate(fresh.url, { ...read, migrations }, { lockMs: 50, report: error => met.push(error) })
    await until(async () => {
      const waiting = await query(
        fresh.url,
        `select 1 from pg_stat_activity where query like 'create index concurrently found_again%' and wait_event_type = 'Lock'`,
      )
      return waiting.rowCount === 1
    })
    await sleep(300)
    await reader.end()
    t.strictSame(await ran, ['M0006Found', 'M0007Widened'], 'the next one runs after it')
    t.strictSame(met, [], 'and no try gave up')
  })

  await t.test('is not created by its migrations', async t => {
    const missing = new URL(fresh.url)
    missing.pathname = `${missing.pathname}_missing`
    await t.rejects(migrate(missing.href, read), /does not exist/)
    await t.rejects(migrate(missing.href, read), /does not exist/, 'also by a second try')
  })

  await t.test('rolls back a migration that fails', async t => {
    await t.rejects(migrate(fresh.url, { ...read, migrations: { M0001Pages, M0002Seen, M0003Broken } }))
    const { rows } = await query(fresh.url, `select to_regclass('read.half') as half`)
    t.strictSame(rows, [{ half: null }])
  })

  const database = await openDatabase(fresh.url, read, { poolSize: 4, name: 'db.test' })
  t.teardown(() => database.close())

  await t.test('shares one pool between entities and SQL, under its name', async t => {
    await database.orm.em.fork().count(Page)
    await database.pool.query('select 1')
    const { rows } = await query(
      fresh.url,
      `select application_name, count(*)::int as count from pg_stat_activity
       where datname = current_database() and application_name <> '' group by 1`,
    )
    t.strictSame(rows, [{ application_name: 'db.test', count: 1 }])
  })

  await t.test('closes all its connections, even if no entity was read', async t => {
    const other = await openDatabase(fresh.url, read, { poolSize: 1, name: 'closing' })
    await other.close()
    t.ok(other.pool.ended)
    // A server process leaves the list a moment after its client has disconnected.
    await until(async () => {
      const { rowCount } = await database.pool.query(
        "select 1 from pg_stat_activity where application_name = 'closing'",
      )
      return rowCount === 0
    })
  })

  await t.test('reads BIGINT as a number everywhere', async t => {
    const { rows } = await database.pool.query(
      'select 9007199254740991::bigint as one, array[1, null, 3]::bigint[] as many, array[]::bigint[] as none, count(*) as count from pg_class where false',
    )
    t.strictSame(rows, [{ one: Number.MAX_SAFE_INTEGER, many: [1, null, 3], none: [], count: 0 }])
    t.strictSame(await database.orm.em.fork().execute('select 5::bigint as five'), [{ five: 5 }])
  })

  await t.test('stores entities unchanged', async t => {
    const seenAt = new Date('2026-02-03T04:05:06.789Z')
    const writing = database.orm.em.fork()
    writing.create(Page, { id: 2 ** 40, title: 'Tide', seenAt, facts: { links: 3 } })
    await writing.flush()
    const reading = database.orm.em.fork()
    const page = await reading.findOneOrFail(Page, 2 ** 40)
    t.match(page, { id: 2 ** 40, title: 'Tide', seenAt, facts: { links: 3 } })
    reading.getUnitOfWork().computeChangeSets()
    t.strictSame(reading.getUnitOfWork().getChangeSets(), [], 'unchanged when read')
    const { rows } = await database.pool.query('select id, seen_at, facts from "read".page')
    t.strictSame(rows, [{ id: 2 ** 40, seen_at: seenAt, facts: { links: 3 } }])
  })

  await t.test('limits the time of statements, locks and the wait for a connection', async t => {
    const settings = `select name, setting::int as ms from pg_settings
      where name in ('statement_timeout', 'lock_timeout') order by name`
    const limits = async (db: Database) => (await db.pool.query(settings)).rows
    t.strictSame(await limits(database), [
      { name: 'lock_timeout', ms: 10_000 },
      { name: 'statement_timeout', ms: 30_000 },
    ])
    const hasty = await openDatabase(fresh.url, read, { poolSize: 1, name: 'hasty', statementMs: 200 })
    await t.rejects(hasty.pool.query('select pg_sleep(60)'), { code: '57014' })
    const client = await hasty.pool.connect()
    await t.rejects(hasty.pool.query('select 1'), /timeout exceeded when trying to connect/)
    client.release()
    t.strictSame((await hasty.pool.query('select 1 as one')).rows, [{ one: 1 }])
    await hasty.close()
    const patient = await openDatabase(fresh.url, read, { poolSize: 1, name: 'patient', statementMs: 0 })
    t.match(await limits(patient), [{ ms: 0 }, { ms: 0 }])
    await patient.close()
  })

  await t.test('limits single statements of a project further, and only those', async t => {
    const reads = ofProject(database.pool)
    await t.rejects(reads(1, 100).query('select pg_sleep(60)'), { code: '57014' })
    const setting = `select current_setting('statement_timeout') as limit`
    const limits = async () =>
      Promise.all(
        [reads(1, 3_000), reads(1), database.pool].map(async pool => (await pool.query(setting)).rows),
      )
    for (let n = 0; n < 3; n++)
      t.strictSame(await limits(), [[{ limit: '3s' }], [{ limit: '30s' }], [{ limit: '30s' }]])
  })

  await t.test('rolls a transaction back when it throws', async t => {
    const failing = database.transaction(async client => {
      await client.query('insert into "read".seen values (1, $1)', ['a'])
      throw new Error('on purpose')
    })
    await t.rejects(failing, { message: 'on purpose' })
    const { rows } = await database.pool.query('select * from "read".seen')
    t.strictSame(rows, [])
  })

  await t.test('survives the loss of its connections, in use or idle', async t => {
    await t.rejects(
      database.transaction(async client => {
        await cutConnections(fresh.url)
        await client.query('select 1')
      }),
    )
    await sleep(50) // until the pool knows that its idle connections are lost
    await Promise.all(Array.from({ length: 4 }, () => database.pool.query('select pg_sleep(0.05)')))
    await cutConnections(fresh.url)
    await sleep(50)
    t.strictSame((await database.pool.query('select 1 as one')).rows, [{ one: 1 }])
    t.equal(await database.orm.em.fork().count(Page), 1)
  })

  await t.test('reads a new run by its index before the table is analysed', async t => {
    const { pool } = database
    await pool.query(`create table listed (id bigint primary key, run_id bigint, url text)`)
    await pool.query(`create index on listed (run_id, id)`)
    await pool.query(
      `insert into listed select n, n / 70, repeat('x', 400) from generate_series(1, 20000) n; analyze listed`,
    )
    await pool.query(
      `insert into listed select n, 1000, repeat('x', 400) from generate_series(30000, 50000) n`,
    )
    const text = 'explain select * from listed where run_id = 1000 and id > 0 order by id limit 250'
    const { rows } = await ofProject(pool)(1).query<{ 'QUERY PLAN': string }>(text)
    const plan = rows.map(row => row['QUERY PLAN']).join('\n')
    t.match(plan, /Index Scan/)
    t.notMatch(plan, /Sort/)
  })

  await t.test('returns numbers as numbers and bytes as bytes', async t => {
    const row = { sequence: 1, subject: 's', body: Buffer.from([0, 1, 127, 128, 255]) }
    const insert = 'insert into "read".seen (sequence, subject, body) values ($1, $2, $3)'
    await database.pool.query(insert, [row.sequence, row.subject, row.body])
    t.strictSame((await database.pool.query('select * from "read".seen')).rows, [row])
  })
})

test('A projection', async t => {
  const { fresh, server, bus, database } = await startAll()
  t.teardown(async () => {
    await bus.close()
    await server.stop()
    await database.close()
    await fresh.drop()
  })
  const stop = new AbortController()
  const options: Projection = {
    bus,
    pool: database.pool,
    schema: 'read',
    name: 'seen',
    partition: '0',
    stream: 'RUNS',
    apply: insertSeen,
    signal: stop.signal,
    report: ignore,
  }
  const projected = async () =>
    (await database.pool.query('select sequence from "read".seen order by 1')).rows.map(row => row.sequence)
  const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1)

  await t.test('writes rows and checkpoint together, whatever is killed', async t => {
    let committed = 0
    const running = runProjection({
      ...options,
      onCommitted: sequence => {
        committed = sequence
      },
    })
    const publishing = publishMany(bus, 3_000)
    for (let kill = 0; kill < 6; kill++) {
      await sleep(120)
      if (kill % 2 === 0) await cutConnections(fresh.url)
      else await server.restart()
    }
    const last = await publishing
    await until(() => committed === last)
    t.strictSame(await projected(), upTo(last))
    t.equal(
      await readCheckpoint(database.pool, {
        schema: 'read',
        projection: 'seen',
        partition: '0',
        stream: 'RUNS',
      }),
      last,
    )
    stop.abort()
    t.equal(await running, 'stopped')
  })

  await t.test('counts each message once when two projectors share a partition', async t => {
    await database.pool.query('truncate "read".seen, "read".checkpoint')
    const both = new AbortController()
    const reported: unknown[] = []
    const rivals = [0, 1].map(() =>
      runProjection({ ...options, signal: both.signal, report: error => reported.push(error) }),
    )
    const last = await publishMany(bus, 1_000)
    await until(async () => (await projected()).length >= last)
    t.strictSame(await projected(), upTo(last))
    both.abort()
    await Promise.all(rivals)
    t.strictSame(reported, [], 'and being overtaken is no error')
  })

  await t.test('reads the subjects of its filter alone, separately for each partition', async t => {
    await database.pool.query('truncate "read".seen, "read".checkpoint')
    const one = new AbortController()
    const running = runProjection({
      ...options,
      partition: 'one',
      filter: ['runs.01.>', 'runs.03.>'],
      signal: one.signal,
    })
    await until(async () => (await projected()).length > 0)
    await sleep(100)
    one.abort()
    await running
    const { rows } = await database.pool.query('select distinct subject from "read".seen order by 1')
    t.strictSame(
      rows.map(row => row.subject),
      ['runs.01.1.crawl', 'runs.03.3.crawl'],
    )
  })

  await t.test('retries a batch until it can be applied, and reports the error', async t => {
    await database.pool.query('truncate "read".seen, "read".checkpoint')
    const brief = new AbortController()
    const reported: unknown[] = []
    const tries: number[] = []
    const running = runProjection({
      ...options,
      signal: brief.signal,
      report: error => reported.push(error),
      async apply(client, messages) {
        tries.push(performance.now())
        await insertSeen(client, messages)
        if (tries.length <= 3) throw new Error('not today')
      },
    })
    await until(async () => (await projected()).length > 0)
    brief.abort()
    await running
    t.equal(reported.length, 3)
    t.equal((await projected())[0], 1)
    const [, , third = 0, fourth = 0] = tries
    t.ok(fourth - third >= 195, 'the pause doubles with each failure')
  })

  await t.test('waits for a rebuild that holds its checkpoint, which is no fault', async t => {
    await database.pool.query('truncate "read".seen, "read".checkpoint')
    await readCheckpoint(database.pool, {
      schema: 'read',
      projection: 'seen',
      partition: '0',
      stream: 'RUNS',
    })
    const impatient = new pg.Pool({ connectionString: fresh.url, options: '-c lock_timeout=50' })
    const rebuild = await database.pool.connect()
    await rebuild.query('begin')
    await rebuild.query('select from "read".checkpoint for update')
    const brief = new AbortController()
    const reported: unknown[] = []
    const running = runProjection({
      ...options,
      pool: impatient,
      signal: brief.signal,
      report: error => reported.push(error),
      faultyMs: 0,
    })
    await sleep(300)
    t.strictSame([reported, faultOf(bus.nc), await projected()], [[], null, []])
    await rebuild.query('commit')
    rebuild.release()
    await until(async () => (await projected()).length > 0)
    brief.abort()
    await running
    await impatient.end()
    t.strictSame(reported, [])
  })

  await t.test('skips only messages that can never be read or stored', async t => {
    await database.pool.query('truncate "read".seen, "read".checkpoint')
    const { sequence: first } = await publish(bus, 'runs.poison.1', '0')
    const bad = new Map([
      [61, '\0'],
      [99, 'unreadable'],
    ])
    for (let n = 1; n < 100; n++) await publish(bus, 'runs.poison.1', bad.get(n) ?? String(n))
    const brief = new AbortController()
    const reported: unknown[] = []
    let reached = 0
    const running = runProjection({
      ...options,
      name: 'bodies',
      filter: 'runs.poison.1',
      signal: brief.signal,
      report: error => reported.push(error),
      onCommitted: sequence => {
        reached = sequence
      },
      async apply(client, messages) {
        const rows = messages.map(({ sequence, data }) => ({
          sequence,
          subject: Buffer.from(data).toString(),
        }))
        await insertSeen(client, rows)
        if (rows.some(({ subject }) => subject === 'unreadable')) throw new Unreadable('no commit')
      },
    })
    await until(() => reached === first + 99)
    brief.abort()
    await running
    const others = Array.from({ length: 100 }, (_, n) => first + n).filter(
      sequence => !bad.has(sequence - first),
    )
    t.strictSame(await projected(), others)
    t.match(reported, [
      { name: 'Unprojectable', stream: 'RUNS', sequence: first + 61, cause: { code: '22021' } },
      { message: `bodies skips message ${first + 99} of RUNS (runs.poison.1): no commit` },
    ])
    const { messages } = (await bus.jsm.streams.info('DEAD')).state
    t.equal(messages, 2)
    const dead = await bus.jsm.direct.getMessage('DEAD', { last_by_subj: 'dead.RUNS.bodies' })
    t.equal(dead?.header.get('Dead-Sequence'), String(first + 99))
  })

  await t.test('halves a batch that is too slow for the database, and skips no part of it', async t => {
    await database.pool.query('truncate "read".seen, "read".checkpoint')
    const brief = new AbortController()
    const reported: unknown[] = []
    let reached = 0
    let isSlow = true
    const { sequence: first } = await publish(bus, 'runs.slow.1', '0')
    for (let n = 1; n < 20; n++) await publish(bus, 'runs.slow.1', String(n))
    const running = runProjection({
      ...options,
      name: 'slow',
      filter: 'runs.slow.1',
      signal: brief.signal,
      report: error => {
        isSlow = false
        reported.push(error)
      },
      onCommitted: sequence => {
        reached = sequence
      },
      async apply(client, messages) {
        const isTooMuch = messages.length > 5 || (isSlow && messages.some(one => one.sequence === first + 7))
        if (isTooMuch) throw Object.assign(new Error('canceling statement'), { code: '57014' })
        await insertSeen(client, messages)
      },
    })
    await until(() => reached === first + 19)
    brief.abort()
    await running
    t.strictSame(
      await projected(),
      Array.from({ length: 20 }, (_, n) => first + n),
    )
    t.match(reported, [{ code: '57014' }], 'a single message that is too slow is retried')
  })

  await t.test('is a fault of its service while it makes no progress', async t => {
    await database.pool.query('truncate "read".seen, "read".checkpoint')
    const brief = new AbortController()
    let isFailing = true
    const running = runProjection({
      ...options,
      signal: brief.signal,
      faultyMs: 100,
      async apply(client, messages) {
        if (isFailing) throw new Error('not today')
        await insertSeen(client, messages)
      },
    })
    t.equal(faultOf(bus.nc), null)
    await until(() => faultOf(bus.nc) === 'projection_stuck: seen gets nowhere in RUNS: not today')
    isFailing = false
    await until(() => faultOf(bus.nc) === null)
    brief.abort()
    await running
  })

  await t.test('stops with StreamWentBackwards if its stream went backwards', async t => {
    await database.pool.query(`update "read".checkpoint set sequence = 1000000`)
    const reported: unknown[] = []
    const end = await runProjection({
      ...options,
      signal: new AbortController().signal,
      report: error => reported.push(error),
    })
    t.equal(end, 'stream-went-backwards')
    t.match(reported, [{ name: 'StreamWentBackwards' }])
  })

  await t.test(
    'stops with StreamWentBackwards if its stream lost its end and has grown beyond it since',
    async t => {
      await database.pool.query('truncate "read".seen, "read".checkpoint')
      const all = { ...(await bus.jsm.streams.info('RUNS')).config }
      const write = async (texts: string[]) => {
        for (const text of texts) await bus.js.publish(`runs.${text}`, text)
      }
      const makeAnew = async () => {
        await bus.jsm.streams.delete('RUNS')
        await bus.jsm.streams.add(all)
      }
      const read = async (upTo: number, filter: string): Promise<unknown> => {
        const brief = new AbortController()
        const onCommitted = (sequence: number) => sequence >= upTo && brief.abort()
        const limit = setTimeout(() => brief.abort(), 5_000)
        const end = await runProjection({ ...options, filter, onCommitted, signal: brief.signal })
        clearTimeout(limit)
        return end
      }
      await makeAnew()
      await write(['a', 'b', 'c'])
      t.equal(await read(3, 'runs.>'), 'stopped')
      await write(['d'])
      t.equal(await read(4, 'runs.>'), 'stopped', 'a stream that only grew is read further')
      await sleep(5)
      await makeAnew()
      await write(['a', 'b', 'x', 'y', 'z'])
      t.equal(await read(5, 'runs.>'), 'stream-went-backwards')
      t.equal(await read(5, 'runs.z'), 'stream-went-backwards', 'for every filter')
      await bus.jsm.streams.deleteMessage('RUNS', 4)
      t.equal(await read(5, 'runs.>'), 'stream-went-backwards', 'also if it left a gap')
      t.strictSame(await projected(), [1, 2, 3, 4])
    },
  )
})

test('A connection is as secure as its URL requires', async t => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-tls-'))
  t.teardown(() => fs.rmSync(dir, { recursive: true }))
  const authority = path.join(dir, 'ca.pem')
  const reportedBy = async (query: string, names = ['localhost'], socket?: string) => {
    const certificate = selfSigned(names)
    fs.writeFileSync(authority, certificate.cert)
    await using server = await refusingServer(certificate, socket)
    const url = `postgres://user:word@${server.host}/database${query}`
    const error = await openDatabase(url, read, { poolSize: 1, name: 'tls' }).catch(error => error)
    return [server.received(), Reflect.get(error, 'code')]
  }
  const refused = '28000'
  for (const query of ['', '?application_name=x&schema=y', '?sslmode=disable', '?ssl=false'])
    t.strictSame(await reportedBy(query), ['plain', refused], query || 'nothing')
  for (const query of ['?sslmode=no-verify', '?ssl=no-verify', '?uselibpqcompat=true&sslmode=require'])
    t.strictSame(await reportedBy(query), ['within TLS', refused], query)

  const unknown = ['TLS', 'DEPTH_ZERO_SELF_SIGNED_CERT']
  for (const query of ['?sslmode=verify-full', '?ssl=true'])
    t.strictSame(await reportedBy(query), unknown, query)
  const known = `?sslmode=verify-full&sslrootcert=${authority}`
  t.strictSame(await reportedBy(known), ['within TLS', refused], 'a configured authority')
  const another = ['TLS', 'ERR_TLS_CERT_ALTNAME_INVALID']
  t.strictSame(await reportedBy(known, ['db.test']), another, 'under another name')
  const anyName = `?uselibpqcompat=true&sslmode=verify-ca&sslrootcert=${authority}`
  t.strictSame(await reportedBy(anyName, ['db.test']), ['within TLS', refused], 'under any name')
  t.strictSame(await reportedBy('?sslnegotiation=direct'), ['TLS at once', 'EPROTO'], 'without asking')

  const socket = path.join(dir, '.s.PGSQL.5432')
  const within = await reportedBy('?sslmode=verify-full', ['localhost'], socket)
  t.strictSame(within, ['plain', refused], 'a local socket has no TLS')
  t.strictSame(await reportedBy('?sslmode=verify-full&sslrootcert=/nowhere'), ['nothing', 'ENOENT'])
})

/** Starts a server that speaks like Postgres up to the authentication, and rejects every user (28000). */
async function refusingServer(certificate: { key: string; cert: string }, file?: string) {
  const secureContext = tls.createSecureContext(certificate)
  const refusal = Buffer.from('E\0\0\0\0SFATAL\0C28000\0Mnobody\0\0')
  refusal.writeInt32BE(refusal.length - 1, 1)
  let received = 'nothing'
  const server = net.createServer(plain => {
    plain.on('error', () => {})
    plain.once('data', data => {
      const isTlsRequest = data.subarray(4, 8).toString('hex') === '04d2162f'
      received = isTlsRequest ? 'TLS' : data[0] === 0x16 ? 'TLS at once' : 'plain'
      if (!isTlsRequest) return plain.end(refusal)
      plain.write('S')
      const secure = new tls.TLSSocket(plain, { isServer: true, secureContext })
      secure.on('error', () => {})
      secure.once('data', () => {
        received = 'within TLS'
        secure.end(refusal)
      })
    })
  })
  server.listen(file ? { path: file } : { port: 0, host: 'localhost' })
  await once(server, 'listening')
  const address = server.address()
  const host =
    typeof address === 'object' && address
      ? `localhost:${address.port}`
      : encodeURIComponent(path.dirname(address ?? ''))
  return {
    host,
    received: () => received,
    [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')),
  }
}

async function startAll(): Promise<{
  fresh: FreshDatabase
  server: Throwaway
  bus: Bus
  database: Database
}> {
  const [fresh, server] = await Promise.all([freshDatabase(), throwawayNats()])
  await migrate(fresh.url, read)
  const database = await openDatabase(fresh.url, read, { poolSize: 4, name: 'db.test' })
  const bus = await openBus({ url: server.url, name: 'db.test' })
  await bus.jsm.streams.add({
    name: 'RUNS',
    subjects: ['runs.>'],
    max_bytes: 1e9,
    discard: 'new',
    allow_direct: true,
  })
  await bus.jsm.streams.add({ name: 'DEAD', subjects: ['dead.>'], max_bytes: 1e7, allow_direct: true })
  return { fresh, server, bus, database }
}

type Seen = Pick<StreamMessage, 'sequence' | 'subject'>

/** Fails on a sequence that is stored already, because of the primary key. */
async function insertSeen(client: pg.PoolClient, rows: readonly Seen[]): Promise<void> {
  await client.query(
    'insert into "read".seen (sequence, subject) select * from unnest($1::bigint[], $2::text[])',
    [rows.map(({ sequence }) => sequence), rows.map(({ subject }) => subject)],
  )
}

let published = 0

/** Publishes over five subjects and returns the last sequence; every message is stored once. */
async function publishMany(bus: Bus, count: number): Promise<number> {
  let last = 0
  for (let n = 0; n < count; n += 20) {
    const some = Array.from({ length: 20 }, (_, k) =>
      publish(bus, `runs.0${k % 5}.${k % 5}.crawl`, JSON.stringify({ n }), { id: `message ${++published}` }),
    )
    const acks = await Promise.all(some)
    last = Math.max(last, ...acks.map(({ sequence }) => sequence))
  }
  return last
}

const cutConnections = (url: string) =>
  query(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'db.test'`,
  )

async function query(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}
