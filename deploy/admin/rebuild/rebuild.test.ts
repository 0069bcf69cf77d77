import { setTimeout as sleep } from 'node:timers/promises'
import { openBus } from '@tidemark/bus/connection'
import { publish } from '@tidemark/bus/publish'
import { checkpointTable, checkpointTimes } from '@tidemark/db/checkpoint'
import { runProjection } from '@tidemark/db/projector'
import { inTransaction } from '@tidemark/db/transaction'
import { freshDatabase, throwawayNats } from '@tidemark/testing/servers'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { type Client, openPool } from '../open-instance.ts'
import { rebuild } from './rebuild.ts'
import type { Rebuildable } from './rebuildable.ts'

const stranger = `stranger_${process.pid}`

test('A projection is rebuilt beside the live one', async t => {
  await using stack = new AsyncDisposableStack()
  const fresh = stack.adopt(await freshDatabase(), fresh => fresh.drop())
  const nats = stack.adopt(await throwawayNats(), nats => nats.stop())
  const bus = stack.adopt(await openBus({ url: nats.url, name: 'test' }), bus => bus.close())
  const { pool } = stack.adopt(await openPool(fresh.url), db => db.close())
  const { pool: livePool } = stack.adopt(await openPool(fresh.url), db => db.close())
  const stop = new AbortController()
  stack.defer(() => stop.abort())
  await pool.query(schema)
  stack.defer(async () => void (await pool.query(`drop owned by ${stranger}; drop role ${stranger}`)))
  await bus.jsm.streams.add({ name: 'WORDS', subjects: ['words'], allow_direct: true })
  await bus.jsm.streams.add({ name: 'DEAD', subjects: ['dead.>'] })
  const instance = { bus, pool, databaseUrl: fresh.url, [Symbol.asyncDispose]: async () => {} }
  const say = (word: string) => publish(bus, 'words', word)
  const words = async () =>
    (await pool.query('select word from made.word order by word')).rows.map(row => row.word)
  const live: unknown[] = []
  const following = runProjection({
    ...ofWords(insert),
    bus,
    pool: livePool,
    partition: 'all',
    signal: stop.signal,
    report: error => live.push(error),
    apply: insert,
  })
  for (const word of ['low', '\0', 'high']) await say(word)
  await until(async () => (await words()).length === 2)

  await t.test('rows without events are deleted, and rows that can never be stored are skipped', async t => {
    await pool.query(`insert into made.word values ('planted')`)
    const reported: unknown[] = []
    const end = await rebuild(instance, ofWords(insert), {
      report: error => reported.push(error),
      progress: () => {},
    })
    t.equal(end, 3)
    t.strictSame(await words(), ['high', 'low'])
    t.match(reported, [{ name: 'Unprojectable', stream: 'WORDS', sequence: 2 }])
  })

  await t.test('events in the meantime are in the live rows at once, and later in the new ones', async t => {
    let seen: string[] = []
    const slowly: Apply = async (client, messages) => {
      if (seen.length === 0) {
        await say('meanwhile')
        await until(async () => (await words()).includes('meanwhile'))
        seen = await words()
      }
      await insert(client, messages)
    }
    const end = await rebuild(instance, ofWords(slowly), { report: () => {}, progress: () => {} })
    t.equal(end, 4)
    t.strictSame(seen, ['high', 'low', 'meanwhile'])
    t.strictSame(await words(), ['high', 'low', 'meanwhile'])
    await say('later')
    await until(async () => (await words()).includes('later'))
  })

  await t.test('readers, hidden rows, keys and indexes are as before', async t => {
    const before = await likeness(pool)
    await rebuild(instance, ofWords(insert), { report: () => {}, progress: () => {} })
    t.strictSame(await likeness(pool), before)
    t.ok(before.length > 7, `${before.length} things are said`)
    await inTransaction(pool, async client => {
      await client.query(`set local role ${stranger}`)
      t.strictSame((await client.query('select word from made.word')).rows, [{ word: 'low' }])
      const { rows } = await client.query('select word from other.note')
      t.strictSame(rows, [{ word: 'low' }], 'another table looks into it')
    })
  })

  await t.test('a reader that holds the rows for long is awaited, and blocks no others', async t => {
    const reader = await pool.connect()
    await reader.query('begin; select from made.word')
    const over = rebuild(instance, ofWords(insert), { report: () => {}, progress: () => {} })
    await sleep(1_500)
    t.ok((await words()).length > 0, 'others still read')
    await reader.query('commit')
    reader.release()
    t.equal(await over, 5)
  })

  await t.test('one that was killed leaves nothing that the next one minds', async t => {
    const fails: Apply = async () => {
      throw new Error('killed')
    }
    await t.rejects(rebuild(instance, ofWords(fails), { report: () => {}, progress: () => {} }), /killed/)
    t.equal((await words()).length, 4, 'the live rows are untouched')
    await rebuild(instance, ofWords(insert), { report: () => {}, progress: () => {} })
    t.equal((await words()).length, 4)
    const { rows } = await pool.query(`select nspname from pg_namespace where nspname like 'made_%'`)
    t.strictSame(rows, [])
  })

  await t.test('a guarded sum becomes smaller only after a confirmation', async t => {
    await pool.query(`insert into made.word values ('lost')`)
    const guarded = { ...ofWords(insert), guarded: { table: 'word', column: 'length' } }
    const watch = { report: () => {}, progress: () => {} }
    await t.rejects(rebuild(instance, guarded, watch), {
      message: /WORDS lacks the messages of 4 length.+Nothing was changed.+--yes/,
    })
    t.ok((await words()).includes('lost'))
    const { rows } = await pool.query(`select nspname from pg_namespace where nspname like 'made_%'`)
    t.strictSame(rows, [], 'the copy is deleted')
    await rebuild(instance, guarded, { ...watch, mayLose: true })
    t.notOk((await words()).includes('lost'))
    await rebuild(instance, guarded, watch)
  })

  await t.test('a stream that lost its end is read from there on', async t => {
    stop.abort()
    await following
    await pool.query('update made.checkpoint set sequence = 900')
    t.equal(await rebuild(instance, ofWords(insert), { report: () => {}, progress: () => {} }), 5)
    const { rows } = await pool.query('select sequence from made.checkpoint')
    t.match(rows, [{ sequence: 5 }])
  })
})

type Messages = { data: Uint8Array }[]
type Apply = (client: Client, messages: Messages) => Promise<void>

const insert: Apply = async (client, messages) => {
  const words = messages.map(({ data }) => Buffer.from(data).toString())
  await client.query('insert into made.word select unnest($1::text[]) on conflict do nothing', [words])
}

const ofWords = (apply: Apply): Rebuildable => ({
  schema: 'made',
  name: 'words',
  stream: 'WORDS',
  filter: 'words',
  tables: ['word'],
  apply: () => apply,
})

const schema = `
  create schema made; create schema other;
  create table made.word (word text primary key, length integer generated always as (length(word)) stored)
    with (fillfactor = 60);
  create index word_length on made.word (length) where length > 1;
  ${checkpointTable('made')};
  ${checkpointTimes('made')};
  create table other.note (word text);
  insert into other.note values ('low'), ('none');
  create role ${stranger};
  grant usage on schema made, other to ${stranger};
  grant select on made.word, other.note to ${stranger};
  create policy short on made.word to ${stranger} using (length < 4);
  comment on policy short on made.word is 'length < 4';
  alter table made.word enable row level security;
  create policy known on other.note to ${stranger} using (exists (select from made.word where word.word = note.word));
  alter table other.note enable row level security`

/** The table's rows in the catalogues of Postgres, without its number. */
async function likeness(pool: { query: Client['query'] }): Promise<unknown[]> {
  const { rows } = await pool.query(
    `select indexdef as said from pg_indexes where schemaname = 'made' and tablename = 'word'
     union all select conname || pg_get_constraintdef(oid) from pg_constraint where conrelid = 'made.word'::regclass
     union all select concat(relrowsecurity, relacl, reloptions) from pg_class where oid = 'made.word'::regclass
     union all select concat_ws(' ', tablename, policyname, roles, cmd, qual, permissive) from pg_policies
       where schemaname in ('made', 'other')
     union all select obj_description(oid, 'pg_policy') from pg_policy where polrelid = 'made.word'::regclass
     union all select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'made.word'::regclass
     order by 1`,
  )
  return rows
}
