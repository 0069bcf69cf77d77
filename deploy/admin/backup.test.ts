/** Backups of servers that the environment names; `test/e2e/backup.test.ts` has those of a whole system. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import type { Bus } from '@tidemark/bus/connection'
import { publish } from '@tidemark/bus/publish'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { lockOfSweeps } from '@tidemark/crawl-coordinator/policies/clean-up-ended-runs'
import { runProjection } from '@tidemark/db/projector'
import { secretKeyId } from '@tidemark/secrets/seal'
import { databaseUrl, freshDatabase, throwawayNats } from '@tidemark/testing/servers'
import { surroundings } from '@tidemark/testing/surroundings'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { type Test, test } from 'tap'
import { databases } from '../local/entries.ts'
import { restoredAt } from '../local/restored.ts'
import { secretKeys, writeKeyFile } from '../local/secrets-key.ts'
import { declareStreams } from '../nats/declare.ts'
import { nameInEnvironment } from './backup/environment.scene.ts'
import { stopSweeps } from './backup/locks.ts'
import { run as backup } from './backup.ts'
import { readModelProjections } from './rebuild/rebuildable.ts'
import { run as restore } from './restore.ts'

const key = 'ab'.repeat(32)
const other = 'cd'.repeat(32)

test('A backup of servers that the environment names', async t => {
  const { env, bus, pool } = await surroundings(t, { database: await databases(), declare: declareStreams })
  nameInEnvironment(t, env)
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  const save = (name: string, dir: string, ...more: string[]) =>
    backup(['--to', path.join(dir, name), ...more], dir, print)
  const home = t.testdir()
  /** A backup of the empty schemas and streams, which names `key`. */
  const whole = path.join(home, 'named')

  await t.test('names the key of SECRETS_KEY, else that of the folder, else warns', async t => {
    const empty = t.testdir()
    nameInEnvironment(t, { SECRETS_KEY: key })
    const named = await save('named', home)
    t.equal(named.secrets_key, secretKeyId(key))
    t.strictSame(named.keys, [])
    t.notOk(named.warning)
    nameInEnvironment(t, { SECRETS_KEY: '' })
    t.match(await save('nameless', empty), {
      secrets_key: null,
      warning: /set SECRETS_KEY as for the services/,
    })
    writeKeyFile(empty, [other, key])
    t.match(await save('from-file', empty), { secrets_key: secretKeyId(other) })
    nameInEnvironment(t, { SECRETS_KEY: 'short' })
    await t.rejects(save('wrong', empty), { name: 'AdminError', message: /must be 32 bytes in hex/ })
  })

  await t.test('waits for another one, because NATS packs a stream once at a time', async t => {
    const both = await Promise.all([save('first', t.testdir()), save('second', t.testdir())])
    t.equal(both.length, 2)
  })

  await t.test('waits for a rebuild or the cleanup of ended runs, and then names both', async t => {
    const client = await pool.connect()
    await client.query('select pg_advisory_lock($1)', [lockOfSweeps])
    const refusal = {
      name: 'AdminError',
      message: /A rebuild, another backup or the cleanup of ended runs is under way/,
    }
    await t.rejects(stopSweeps({ pool }, 50), refusal)
    await client.query('select pg_advisory_unlock($1)', [lockOfSweeps])
    client.release()
    await (await stopSweeps({ pool }, 50))[Symbol.asyncDispose]()
  })

  await t.test('lists the saved keys, and is rejected if the wanted key is not there', async t => {
    const dir = t.testdir({ 'evidence.key': 'seed\n' })
    const refusal = {
      name: 'AdminError',
      message: /no secrets\.key in .+ in TIDEMARK_DIR\. .+ leave out --with-keys/,
    }
    await t.rejects(save('none', dir, '--with-keys'), refusal)
    t.notOk(fs.existsSync(path.join(dir, 'none')), 'before anything is written')
    writeKeyFile(dir, [other])
    t.match(await save('both', dir, '--with-keys'), { keys: ['secrets.key', 'evidence.key'] })
    nameInEnvironment(t, { SECRETS_KEY: key })
    await t.rejects(save('another', dir, '--with-keys'), {
      name: 'AdminError',
      message: new RegExp(`no secrets\\.key in .+ with the key ${secretKeyId(key)}`),
    })
  })

  await t.test('is checked without servers, and nothing changes', async t => {
    const dir = t.testdir({ target: {} })
    const [saved, target] = [path.join(dir, 'saved'), path.join(dir, 'target')]
    nameInEnvironment(t, { SECRETS_KEY: key })
    await save('saved', dir)
    nameInEnvironment(t, { NATS_URL: '', DATABASE_URL: '' })
    const check = () => restore(['--from', saved, '--check'], target, print)
    t.match(await check(), { ok: true, at: String, rows: Number, messages: Number })

    const file = path.join(saved, 'manifest.json')
    const manifest = JSON.parse(fs.readFileSync(file, 'utf8'))
    const { migrations, tables } = manifest
    const later = { ...migrations, read: [...migrations.read, 'Later'] }
    fs.writeFileSync(file, JSON.stringify({ ...manifest, migrations: later }))
    await t.rejects(check(), { name: 'AdminError', message: /does not know: read Later/ })
    fs.writeFileSync(file, JSON.stringify(manifest))
    fs.rmSync(path.join(saved, tables[0].file))
    await t.rejects(check(), { name: 'AdminError', message: /is damaged: .+ is missing/ })
    t.strictSame(fs.readdirSync(target), [])
  })

  await t.test('is restored with its key, and not started with another one', async t => {
    const target = t.testdir()
    nameInEnvironment(t, await emptyServers(t))
    t.match(await restore(['--from', whole], target, print), { ok: true }, lines.join('\n'))
    t.match(lines.join('\n'), new RegExp(`needs the key ${secretKeyId(key)}`))
    t.throws(() => secretKeys(target, {}, print), { code: 'SETTINGS_BAD' })
    t.match(secretKeys(target, { SECRETS_KEY: key }, print), { SECRETS_KEY: key })
  })

  await t.test('is restored with fewer messages only of a stream that is swept during a backup', async t => {
    const dir = t.testdir()
    const saved = path.join(dir, 'saved')
    for (const subject of [subjects.export(7), subjects.batch(7)]) await bus.js.publish(subject, 'swept')
    await bus.jsm.streams.purge(streams.exports, { filter: subjects.export(7) })
    await bus.jsm.streams.purge(streams.batches, { filter: subjects.batch(7) })
    await save('saved', dir)
    const file = path.join(saved, 'manifest.json')
    const manifest = JSON.parse(fs.readFileSync(file, 'utf8'))
    /** Writes the manifest of a backup whose moment was before these streams were purged. */
    const purgedLater = (...names: string[]) => {
      const of = (stream: { name: string; messages: number }) =>
        names.includes(stream.name) ? { ...stream, messages: stream.messages + 1 } : stream
      fs.writeFileSync(file, JSON.stringify({ ...manifest, streams: manifest.streams.map(of) }))
    }
    const restoredInto = async (target: string) => {
      nameInEnvironment(t, await emptyServers(t))
      return restore(['--from', saved], path.join(dir, target), print)
    }
    purgedLater(streams.exports, streams.batches)
    t.match(await restoredInto('swept'), { ok: true })
    purgedLater(streams.accounts)
    await t.rejects(restoredInto('lost'), /ACCOUNTS came back with 0 messages of 1/)
  })

  await t.test('is restored by a user that may create no databases, without that check', async t => {
    const empty = await emptyServers(t)
    const { user, url } = await ownerWithoutCreatedb(t, empty.DATABASE_URL)
    nameInEnvironment(t, { ...empty, DATABASE_URL: url })
    const { ok, checks } = await restore(['--from', whole], t.testdir(), print)
    t.ok(ok)
    t.match(
      checks?.find(({ name }) => name === 'read model'),
      {
        skipped: `not checked, because ${user} may not create a temporary database: alter role ${user} createdb`,
      },
    )
  })

  await t.test('is restored and checked, which drops the databases of checks that were killed', async t => {
    const [killed, going, begun] = [checkDatabase(3_600), checkDatabase(3_600), checkDatabase(0)]
    const [killedBefore, goingBefore] = [undated(), undated()]
    const all = [killed, going, begun, killedBefore, goingBefore]
    for (const name of all) await pool.query(`create database ${name}`)
    const clients = [going, goingBefore].map(name => new pg.Client({ connectionString: databaseUrl(name) }))
    for (const client of clients) await client.connect()
    t.teardown(async () => {
      for (const client of clients) await client.end()
      for (const name of all) await pool.query(`drop database if exists ${name}`)
    })
    nameInEnvironment(t, await emptyServers(t))
    t.match(await restore(['--from', whole], t.testdir(), print), { ok: true })
    const { rows } = await pool.query<{ name: string }>(
      'select datname as name from pg_database where datname = any($1)',
      [all],
    )
    const left = rows.map(({ name }) => name)
    t.strictSame(
      new Set(left),
      new Set([going, begun, goingBefore]),
      'and none of a check that runs or begins',
    )
  })

  await t.test('is restored and checked until a signal, which drops the database of the check', async t => {
    const env = { ...process.env, ...(await emptyServers(t)), TIDEMARK_DIR: t.testdir() }
    const args = [path.join(import.meta.dirname, '../local/admin.ts'), 'restore', '--from', whole]
    const child = spawn(process.execPath, args, { env, stdio: 'ignore' })
    const ended = once(child, 'exit')
    const like = String.raw`select datname from pg_database where datname like 'tidemark\_verify\_%'`
    await until(async () => (await pool.query(like)).rowCount === 1)
    child.kill()
    t.strictSame(await ended, [null, 'SIGTERM'])
    t.equal((await pool.query(like)).rowCount, 0)
  })

  await t.test('is restored with its keys even if a check cannot be carried out', async t => {
    const dir = t.testdir({ target: {} })
    const target = path.join(dir, 'target')
    nameInEnvironment(t, { SECRETS_KEY: key })
    writeKeyFile(dir, [key])
    const { at } = await save('saved', dir, '--with-keys')
    nameInEnvironment(t, { ...(await emptyServers(t)), S3_ENDPOINT: 'nowhere' })
    await t.rejects(restore(['--from', path.join(dir, 'saved')], target, print), /S3_ENDPOINT/)
    t.equal(restoredAt(target), at)
    t.ok(fs.existsSync(path.join(target, 'secrets.key')))
  })
})

test('A backup of an earlier version', async t => {
  const { env, bus, pool } = await surroundings(t, { database: await databases(), declare: declareStreams })
  nameInEnvironment(t, { ...env, SECRETS_KEY: key })
  await recordRun(bus, pool)
  // The version before the migration `Forks`.
  await pool.query('alter table read.page drop column carried')
  await pool.query('alter table read.run drop column forked_from, drop column pages_reused')
  t.equal((await pool.query(`delete from read.migration where name = 'Forks'`)).rowCount, 1)
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  const dir = t.testdir({ target: {} })
  await backup(['--to', path.join(dir, 'saved')], dir, print)

  const target = await emptyServers(t)
  nameInEnvironment(t, target)
  const restored = await restore(['--from', path.join(dir, 'saved')], path.join(dir, 'target'), print)
  t.match(restored, { ok: true, rows: Number, messages: 1 }, lines.join('\n'))
  const client = new pg.Client({ connectionString: target.DATABASE_URL })
  await client.connect()
  t.teardown(() => client.end())
  const { rows } = await client.query('select id::int, url, pages_reused from read.run')
  t.strictSame(
    rows,
    [{ id: 1, url: 'https://a.example/', pages_reused: 0 }],
    'the rows are those of this version',
  )
  const { rows: ran } = await client.query(`select from read.migration where name = 'Forks'`)
  t.equal(ran.length, 1)
})

/** Adds an event of a run to its stream, and its rows to the read model. */
async function recordRun(bus: Bus, pool: pg.Pool): Promise<void> {
  const data = { runId: 1, projectId: 1, tier: 'pro', url: 'https://a.example/', settings: {} }
  const commit = { at: new Date().toISOString(), events: [{ type: 'RunQueued', data }] }
  await publish(bus, subjects.run(1), JSON.stringify(commit), { id: 'run 1' })
  await pool.query('insert into coordinator.admission (project_id, enqueued_at) values (1, now())')
  const stop = new AbortController()
  const running = readModelProjections
    .filter(({ stream }) => stream === streams.runs)
    .map(projection =>
      runProjection({
        ...projection,
        apply: projection.apply(() => {}),
        bus,
        pool,
        partition: 'all',
        signal: stop.signal,
        report: () => {},
      }),
    )
  await until(async () => (await pool.query('select from read.run')).rowCount === 1)
  stop.abort()
  await Promise.all(running)
}

const checkDatabase = (ageSeconds: number) =>
  `tidemark_verify_${Math.floor(Date.now() / 1_000) - ageSeconds}_${randomUUID().slice(0, 8)}`

/** The name of the database of a check of an earlier version. */
const undated = () => `tidemark_verify_${randomUUID().replaceAll('-', '')}`

/** Makes a new user, who may create no databases, the owner of the database. */
async function ownerWithoutCreatedb(t: Test, databaseUrl: string): Promise<{ user: string; url: string }> {
  const user = `plain_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const name = client.escapeIdentifier(new URL(databaseUrl).pathname.slice(1))
  await client.query(`create role ${user} login password 'plain'; alter database ${name} owner to ${user}`)
  t.teardown(async () => {
    await client.query(`reassign owned by ${user} to current_user; drop owned by ${user}; drop role ${user}`)
    await client.end()
  })
  const url = Object.assign(new URL(databaseUrl), { username: user, password: 'plain' })
  return { user, url: url.href }
}

async function emptyServers(t: Test): Promise<{ NATS_URL: string; DATABASE_URL: string }> {
  const [database, nats] = await Promise.all([freshDatabase(), throwawayNats()])
  t.teardown(() => database.drop())
  t.teardown(() => nats.stop())
  return { NATS_URL: nats.url, DATABASE_URL: database.url }
}
