/**
 * Histories of earlier versions: the messages of the same crawls in the streams of each version, and the rows that the
 * services of that version made of them. Today's services must make the same rows. Files are only added (record.ts),
 * never edited.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StreamMessage } from '@tidemark/bus/read'
import { RunCommit } from '@tidemark/contracts/run'
import { openDatabase } from '@tidemark/db/database'
import { migrate } from '@tidemark/db/migrate'
import { migratedDatabase } from '@tidemark/testing/databases'
import { freshDatabase } from '@tidemark/testing/servers'
import pg from 'pg'
import { type Test, test } from 'tap'
import { Value } from 'typebox/value'
import { database as coordinator } from '../../services/crawl-coordinator/database.ts'
import { evolve } from '../../services/crawl-coordinator/domain/evolve/evolve.ts'
import { type Run, unknown } from '../../services/crawl-coordinator/domain/run.ts'
import { viewOf } from '../../services/crawl-coordinator/domain/view.ts'
import { database as readModel } from '../../services/gateway/database.ts'
import { runsProjection } from '../../services/gateway/read-model/projections/runs.ts'
import { database as ledger } from '../../services/usage-ledger/database.ts'
import { recordUnits } from '../../services/usage-ledger/projections/ledger.ts'
import type { Message } from './stored.scene.ts'

type Row = Record<string, unknown>
type Line = Message | { table: string; row: Row }

const histories = readdirSync(import.meta.dirname).filter(file => file.endsWith('.jsonl'))

const plain = (value: object): Row => JSON.parse(JSON.stringify(value))

/** Fields of a run that its log alone determines. */
const stable = ({ id, url, status, page_count, error_count, stop_reason, error_message }: Row) => ({
  id: Number(id),
  ...{ url, status, page_count, error_count, stop_reason, error_message },
})

const delivered = ({ subject, sequence, data }: Message): StreamMessage => ({
  subject,
  sequence,
  data: Buffer.from(data),
  headers: undefined,
  time: new Date(0),
  pending: 0,
})

for (const file of histories) {
  test(`The history ${file}`, async t => {
    const lines = readFileSync(join(import.meta.dirname, file), 'utf8')
      .trim()
      .split('\n')
    const all: Line[] = lines.map(line => JSON.parse(line))
    const messages = all.filter(line => 'stream' in line)
    const of = (stream: string) => messages.filter(message => message.stream === stream)
    const rows = (table: string): Row[] =>
      all.flatMap(line => ('table' in line && line.table === table ? [line.row] : []))

    t.test('folds to the runs of its time', async t => {
      const runs = new Map<string, Run>()
      for (const { subject, data } of of('RUNS').filter(({ subject }) => subject.endsWith('.crawl'))) {
        const commit: RunCommit = JSON.parse(data)
        t.ok(Value.Check(RunCommit, commit), `a readable commit of ${subject}`)
        let run = runs.get(subject) ?? unknown
        for (const event of commit.events) run = evolve(run, event, commit.at, commit.trace)
        runs.set(subject, run)
      }
      const views = [...runs.values()].map(viewOf).filter(view => view !== null)
      t.strictSame(views.map(plain).map(stable), rows('read.run').map(stable))
      t.ok([...runs.values()].some(({ status }) => status === 'deleted'))
    })

    t.test('projects to the rows of its time', async t => {
      const projection = runsProjection(error => t.fail(String(error)))
      await using model = await projected(t, readModel, of('RUNS'), projection)
      for (const table of ['read.run', 'read.page']) await model.equals(table, 'id', rows(table))
    })

    t.test('bills the units of its time', async t => {
      await using model = await projected(t, ledger, of('USAGE'), recordUnits)
      await model.equals('ledger.unit', 'sequence, token', rows('ledger.unit'))
      await model.equals('ledger.counter', 'day', rows('ledger.counter'))
    })
  })
}

test('An update marks the runs that were reopened before it', async t => {
  const lines = readFileSync(join(import.meta.dirname, '2026-11-27.jsonl'), 'utf8')
    .trim()
    .split('\n')
  const all: Line[] = lines.map(line => JSON.parse(line))
  const runs = all.flatMap(line => ('table' in line && line.table === 'read.run' ? [line.row] : []))
  const reopened = new Set(
    all.flatMap(line => ('data' in line && line.data.includes('"RunReopened"') ? [line.subject] : [])),
  )
  const isReopened = (id: number) => [...reopened].some(subject => subject.includes(`.${id}.`))
  const expected = runs.map(({ id }) => ({ id: Number(id), was_reopened: isReopened(Number(id)) }))
  t.ok(expected.some(run => run.was_reopened) && expected.some(run => !run.was_reopened))

  const fresh = await freshDatabase()
  t.teardown(() => fresh.drop())
  const { Reopened: update, ...earlier } = readModel.migrations
  t.ok(update)
  await migrate(fresh.url, coordinator)
  await migrate(fresh.url, { ...readModel, migrations: earlier })
  const client = new pg.Client({ connectionString: fresh.url })
  await client.connect()
  t.teardown(() => client.end())
  const columns = Object.keys(runs[0] ?? {}).join(', ')
  await client.query(
    `insert into read.run (${columns}) select ${columns} from jsonb_populate_recordset(null::read.run, $1)`,
    [JSON.stringify(runs)],
  )
  await client.query(
    `insert into coordinator.admission (run_id, project_id, enqueued_at, reopenings) overriding system value
     select id, 1, now(), was_reopened::int from jsonb_to_recordset($1) as run (id bigint, was_reopened boolean)`,
    [JSON.stringify(expected)],
  )

  await migrate(fresh.url, readModel)
  const { rows } = await client.query('select id::int, was_reopened from read.run order by id')
  t.strictSame(rows.map(plain), expected)
})

type Apply = (client: pg.PoolClient, messages: StreamMessage[]) => Promise<void>

/** Projects messages to a new database. `equals` compares its rows by the columns that the recorded rows have. */
async function projected(t: Test, database: typeof readModel, messages: readonly Message[], apply: Apply) {
  const fresh = await migratedDatabase(database)
  const db = await openDatabase(fresh.url, database, { poolSize: 1, name: 'test' })
  await db.transaction(client => apply(client, messages.map(delivered)))
  await db.close()
  const client = new pg.Client({ connectionString: fresh.url })
  await client.connect()
  return {
    async equals(table: string, order: string, recorded: readonly Row[]): Promise<void> {
      t.not(recorded.length, 0)
      const columns = Object.keys(recorded[0] ?? {}).map(name => `"${name}"`)
      const { rows } = await client.query<Row>(`select ${columns.join(', ')} from ${table} order by ${order}`)
      t.strictSame(rows.map(plain), recorded, table)
    },
    async [Symbol.asyncDispose]() {
      await client.end()
      await fresh.drop()
    },
  }
}
