/** The statements of `libs/db`: advisory locks, checkpoints of projections, and outboxes of several schemas. */
import type { Statement } from './pool.scene.ts'
import type { Row, Transaction } from './tables.ts'

const tableIn = (sql: string, name: string): string => {
  const [, schema = ''] = new RegExp(`"?(\\w+)"?\\.${name}`).exec(sql) ?? []
  return `${schema}.${name}`
}
const keyOf = ([projection, partition, stream]: readonly unknown[]): string =>
  [projection, partition, stream].join(' ')

function enqueue(view: Transaction, table: string, message: Row): number {
  const id = view.next(table)
  view.put(table, id, { id, created_at: view.now, ...message })
  return id
}

export const ofLibs: readonly Statement[] = [
  {
    text: 'select pg_advisory_xact_lock($1, $2)',
    run(view, [space, name]) {
      view.lock(`advisory ${space} ${name}`)
      return []
    },
  },
  {
    text: '.checkpoint (projection, partition, stream, sequence) values ($1, $2, $3, 0)',
    run(view, values, sql) {
      const table = tableIn(sql, 'checkpoint')
      const known = view.get(table, keyOf(values))
      if (known !== undefined) return [known]
      view.put(table, keyOf(values), { sequence: 0, read_to: null, read_subject: null })
      return [{ sequence: 0 }]
    },
  },
  {
    text: 'select sequence, read_to, read_subject from',
    run: (view, values, sql) => [view.get(tableIn(sql, 'checkpoint'), keyOf(values)) ?? []].flat(),
  },
  {
    text: '.checkpoint set sequence = $5, read_to = $6, read_subject = $7',
    run(view, values, sql) {
      const table = tableIn(sql, 'checkpoint')
      const [, , , from, sequence, read_to, read_subject] = values as readonly unknown[]
      view.lock(`${table}/${keyOf(values)}`)
      if (view.get(table, keyOf(values))?.sequence !== from) return { rowCount: 0 }
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
      const firsts = [...subjects].flatMap(subject => rows.find(row => row.subject === subject) ?? [])
      return firsts
        .filter(({ id }) => view.tryLock(`${table}/${id}`))
        .map(row => ({ ...row, age: (view.now - row.created_at) / 1000 }))
    },
  },
  {
    text: '.outbox where id = any($1)',
    run(view, [ids], sql) {
      for (const id of ids as number[]) view.remove(tableIn(sql, 'outbox'), id)
      return []
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
