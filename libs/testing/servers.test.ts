import { once } from 'node:events'
import net from 'node:net'
import pg from 'pg'
import { test } from 'tap'
import { migratedDatabase } from './databases.ts'
import { freshDatabase, throwawayNats, throwawayRedis } from './servers.ts'

test('Servers for tests', async t => {
  t.test('a fresh database is empty and separate, and can be dropped while it is in use', async t => {
    const [one, other] = await Promise.all([freshDatabase(), freshDatabase()])
    const client = new pg.Client({ connectionString: one.url })
    client.on('error', () => {}) // it is cut off below
    await client.connect()
    await client.query('create table thing (id int)')
    const second = new pg.Client({ connectionString: other.url })
    await second.connect()
    await t.rejects(second.query('select * from thing'), { code: '42P01' })
    await second.end()
    await Promise.all([one.drop(), other.drop()])
  })

  t.test('a schema is migrated once, also for concurrent tests, and each has a copy of it', async t => {
    const Things = [
      'create table things.thing (id int)',
      'create table things.migrated as select gen_random_uuid() as id',
    ]
    const description = { schema: 'things', entities: [], migrations: { Things } }
    const all = await Promise.all([1, 2, 3].map(() => migratedDatabase(description)))
    all.push(await migratedDatabase(description))
    const migrated = new Set<string>()
    for (const [n, { url }] of all.entries()) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      t.strictSame((await client.query('select id from things.thing')).rows, [], `copy ${n}`)
      await client.query('insert into things.thing values (1)')
      migrated.add((await client.query('select id from things.migrated')).rows[0].id)
      await client.end()
    }
    t.equal(migrated.size, 1)
    await Promise.all(all.map(database => database.drop()))
  })

  t.test('a nats-server has JetStream, and restarts on its port after a kill', async t => {
    const nats = await throwawayNats()
    t.match(await greeting(nats.url), /"jetstream":true/)
    await nats.kill()
    await t.rejects(greeting(nats.url), { code: 'ECONNREFUSED' })
    await nats.restart()
    t.match(await greeting(nats.url), /"jetstream":true/)
    await nats.stop()
  })

  t.test('a Redis responds', async t => {
    const redis = await throwawayRedis()
    t.match(await greeting(redis.url, 'PING\r\n'), /PONG/)
    await redis.stop()
  })

  t.test('without servers, the error explains how to get them', async t => {
    const { TEST_DATABASE_URL } = process.env
    delete process.env.TEST_DATABASE_URL
    await t.rejects(freshDatabase(), /npm test -- FILE/)
    process.env.TEST_DATABASE_URL = TEST_DATABASE_URL
  })
})

async function greeting(url: string, send = ''): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = net.connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(send)
  const [data] = await once(socket, 'data')
  socket.destroy()
  return String(data)
}
