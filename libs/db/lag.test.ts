/**
 * The lag of a projection: messages outside its filter do not count, and lost messages of the stream are reported.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openBus } from '@tidemark/bus/connection'
import { publish } from '@tidemark/bus/publish'
import { freshDatabase, throwawayNats } from '@tidemark/testing/servers'
import { test } from 'tap'
import { checkpointTable, checkpointTimes, moveCheckpoint } from './checkpoint.ts'
import { defineDatabase, openDatabase } from './database.ts'
import { lagOf } from './lag.ts'
import { migrate } from './migrate.ts'

const First = [checkpointTable('read'), checkpointTimes('read')]
const read = defineDatabase({ schema: 'read', entities: [], migrations: { First } })
const at = { schema: 'read', projection: 'seen', partition: 'all', stream: 'RUNS' }
const facets = ['runs.*.crawl', 'runs.*.diff']

test('The lag of a projection', async t => {
  const [server, fresh] = await Promise.all([throwawayNats(), freshDatabase()])
  await migrate(fresh.url, read)
  const bus = await openBus({ url: server.url, name: 'lag.test' })
  const db = await openDatabase(fresh.url, read, { poolSize: 2, name: 'lag.test' })
  t.teardown(async () => {
    await Promise.all([bus.close(), db.close()])
    await Promise.all([server.stop(), fresh.drop()])
  })
  const stream = { name: 'RUNS', subjects: ['runs.>'], max_bytes: 1e7, allow_direct: true }
  await bus.jsm.streams.add(stream)
  const lag = (filter: string | string[] = facets) => lagOf({ ...at, bus, pool: db.pool, filter })
  const reach = (from: number, to: number) => db.transaction(client => moveCheckpoint(client, at, from, to))
  t.match(await lag(), { projection: 'seen', stream: 'RUNS', messages: 0, seconds: 0 })

  await publish(bus, 'runs.1.crawl', '1')
  await publish(bus, 'runs.1.webhook', '2')
  await sleep(300)
  const { messages, seconds } = await lag()
  t.equal(messages, 2)
  t.ok(seconds >= 0.25 && seconds < 30, `the oldest is ${seconds} s old`)

  await db.pool.query(`insert into read.checkpoint values ('seen', 'all', 'RUNS', 0)`)
  await reach(0, 1)
  t.match(await lag(), { messages: 0, seconds: 0 }, 'messages outside its filter do not count')
  t.match(await lag('runs.>'), { messages: 1 })
  const began = Date.now()
  await publish(bus, 'runs.2.diff', '3')
  const next = await lag()
  t.equal(next.messages, 2)
  const maxSeconds = (Date.now() - began) / 1_000
  t.ok(next.seconds <= maxSeconds, `its own is ${next.seconds} s old, the messages before it are older`)

  const client = await db.pool.connect()
  await client.query('begin')
  await moveCheckpoint(client, at, 1, 3)
  t.match(await lag(), { messages: 2 }, 'the query does not wait for a running transaction of the projection')
  await client.query('rollback')
  client.release()

  await reach(1, 3)
  t.match(await lag(), { messages: 0 })
  await bus.jsm.streams.delete('RUNS')
  await bus.jsm.streams.add(stream)
  await publish(bus, 'runs.3.crawl', '1')
  t.match(await lag(), { messages: -2, seconds: 0 }, 'a stream that was recreated')
})
