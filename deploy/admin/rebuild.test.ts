import { openBus } from '@tidemark/bus/connection'
import { publish } from '@tidemark/bus/publish'
import { checkpointTable } from '@tidemark/db/checkpoint'
import { freshDatabase, throwawayNats } from '@tidemark/testing/servers'
import { test } from 'tap'
import { type Client, openPool } from './open-instance.ts'
import { rebuild } from './rebuild.ts'

test('A rebuild passes over what the database can never take, as the projection did', async t => {
  await using stack = new AsyncDisposableStack()
  const fresh = stack.adopt(await freshDatabase(), fresh => fresh.drop())
  const nats = stack.adopt(await throwawayNats(), nats => nats.stop())
  const bus = stack.adopt(await openBus({ url: nats.url, name: 'test' }), bus => bus.close())
  const { pool } = stack.adopt(await openPool(fresh.url), db => db.close())
  await pool.query(`create schema made; create table made.word (word text); ${checkpointTable('made')}`)
  await pool.query(`insert into made.word values ('old')`)
  await bus.jsm.streams.add({ name: 'WORDS', subjects: ['words'], allow_direct: true })
  for (const word of ['low', '\0', 'high']) await publish(bus, 'words', word)

  const reported: unknown[] = []
  const instance = { bus, pool, databaseUrl: fresh.url, [Symbol.asyncDispose]: async () => {} }
  const projection = {
    schema: 'made',
    name: 'words',
    stream: 'WORDS',
    filter: 'words',
    tables: ['word'],
    apply: () => async (client: Client, messages: Messages) => {
      const words = messages.map(({ data }) => Buffer.from(data).toString())
      await client.query('insert into made.word select unnest($1::text[])', [words])
    },
  }
  const end = await rebuild(instance, projection, {
    report: error => reported.push(error),
    progress: () => {},
  })
  t.equal(end, 3)
  t.strictSame((await pool.query('select word from made.word')).rows, [{ word: 'low' }, { word: 'high' }])
  t.match(reported, [{ name: 'Unprojectable', stream: 'WORDS', sequence: 2 }])
})

type Messages = { data: Uint8Array }[]
