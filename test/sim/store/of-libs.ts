/** The statements of `libs/db`: advisory locks, checkpoints of projections, and outboxes of several schemas. */
import type { Statement } from './pool.scene.ts'
import type { Row } from './tables.ts'
import type { Transaction } from './transaction.ts'

const tables = new Map<string, string>()

/** Returns the table of this name that a statement has, with its schema. */
function tableIn(sql: string, name: string): string {
  const known = tables.get(sql)
  if (known !== undefined) return known
  const [, schema = ''] = new RegExp(`"?(\\w+)"?\\.${name}`).exec(sql) ?? []
  tables.set(sql, `${schema}.${name}`)
  return `${schema}.${name}`
}
const keyOf = ([projection, partition, stream]: readonly unknown[]): string =>
  [projection, partition, stream].join(' ')

function enqueue(view: Transaction, table: string, message: Row): number {
  const id = view.next(table)
  view.put(table, id, { id, created_at: view.clock, ...message })
  return id
}

export const ofLibs: readonly Statement[] = [
  {
    text: 'select pg_advisory_xact_lock($1, $2)',
    run(view, [space, name]) {
      view.lock(`advisory ${space} ${name}`)
      return [{ pg_advisory_xact_lock: '' }]
    },
  },
  {
    text: '.checkpoint (projection, partition, stream, sequence) values ($1, $2, $3, 0)',
    run(view, values, sql) {
      const table = tableIn(sql, 'checkpoint')
      const [projection, partition, stream] = values as readonly unknown[]
      const seen = view.get(table, keyOf(values))
      const created = {
        ...{ projection, partition, stream, sequence: 0 },
        ...{ read_to: null, read_subject: null },
      }
      // A row that another transaction has inserted meanwhile is neither inserted nor seen.
      if (view.insert(table, keyOf(values), created)) return [created]
      return seen === undefined ? [] : [seen]
    },
  },
  {
    text: '.checkpoint set sequence = $5, read_to = $6, read_subject = $7',
    run(view, values, sql) {
      const table = tableIn(sql, 'checkpoint')
      const [, , , from, sequence, read_to, read_subject] = values as readonly unknown[]
      const isThere = (row: Row) => row.sequence === from
      if (view.lockRow(table, keyOf(values), isThere) === undefined) return { rowCount: 0 }
      view.update(table, keyOf(values), { sequence, read_to, read_subject })
      return { rowCount: 1 }
    },
  },
  {
    text: '.outbox (subject, payload, headers, expect_last) select $3, $4, $5, $6 from locked',
    run(view, [space, schema, subject, payload, headers, expect_last], sql) {
      view.lock(`outbox ${space} ${schema}.${subject}`)
      return [{ id: enqueue(view, tableIn(sql, 'outbox'), { subject, payload, headers, expect_last }) }]
    },
  },
  {
    text: '.outbox (subject, payload, headers, expect_last) select subject, payload, headers, expect_last from unnest',
    run(view, [space, schema, subjects, payloads, headers, expected], sql) {
      const all = subjects as string[]
      for (const subject of [...new Set(all)].sort()) view.lock(`outbox ${space} ${schema}.${subject}`)
      return all.map((subject, n) => {
        const message = { subject, payload: payloads[n], headers: JSON.parse(headers[n] ?? '{}') }
        return { id: enqueue(view, tableIn(sql, 'outbox'), { ...message, expect_last: expected[n] ?? null }) }
      })
    },
  },
  {
    text: 'for update of row skip locked',
    run(view, [ids, ageSeconds], sql) {
      const table = tableIn(sql, 'outbox')
      const rows = view.all(table).sort((a, b) => a.id - b.id)
      const due = rows.filter(
        ({ id, created_at }) => (ids as number[]).includes(id) || created_at < view.now - ageSeconds * 1000,
      )
      const subjects = new Set(due.map(({ subject }) => subject))
      return rows
        .filter((row, n) => rows.findIndex(({ subject }) => subject === row.subject) === n)
        .filter(({ id, subject }) => subjects.has(subject) && view.tryLock(`${table}/${id}`))
        .map(row => ({ ...row, age: (view.clock - row.created_at) / 1000 }))
    },
  },
  {
    text: '.outbox where created_at < now() - make_interval(secs => $1) ) as found',
    run: (view, [ageSeconds], sql) => {
      const rows = view.all(tableIn(sql, 'outbox'))
      return [{ found: rows.some(({ created_at }) => created_at < view.now - ageSeconds * 1000) }]
    },
  },
  {
    text: '.outbox where id = any($1)',
    run(view, [ids], sql) {
      const table = tableIn(sql, 'outbox')
      const removed = view.lockRows(table, ({ id }) => (ids as number[]).includes(id))
      for (const [id] of removed) view.remove(table, id)
      return { rowCount: removed.length }
    },
  },
  {
    text: '.outbox where $1::bigint[] is null or id = any($1) order by id',
    run: (view, [ids], sql) =>
      view
        .all(tableIn(sql, 'outbox'))
        .filter(({ id }) => ids === null || (ids as number[]).includes(id))
        .sort((a, b) => a.id - b.id),
  },
]
