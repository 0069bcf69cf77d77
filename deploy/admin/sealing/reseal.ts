/**
 * Encrypts again, with the newest key, all values that an older key has sealed. It works in batches while everything
 * runs. Rows that another process changes meanwhile are skipped, because that process uses the newest key. It may be
 * stopped at any moment and repeated.
 */
import { call } from '@tidemark/bus/rpc'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import { openOrNull, type Sealer } from '@tidemark/secrets/seal'
import type { OpenInstance } from '../open-instance.ts'

/** SQL for one column of sealed values: `field` reads the sealed text of a row, and `set` replaces it by `fresh`. */
type SealedColumn = { table: string; key: string; field: string; set: string }

const settingOf = (path: string): SealedColumn => ({
  table: 'scheduler.monitor',
  key: 'id',
  field: `settings #>> '{${path}}'`,
  set: `settings = jsonb_set(settings, '{${path}}', to_jsonb(fresh))`,
})

const sealedColumns: readonly SealedColumn[] = [
  { table: 'webhook.secret', key: 'project_id', field: 'sealed', set: 'sealed = fresh' },
  { table: 'webhook.old_secret', key: 'id', field: 'sealed', set: 'sealed = fresh' },
  { table: 'content.export', key: 'id', field: 'credentials', set: 'credentials = fresh' },
  { table: 'account.mail', key: 'id', field: 'body', set: 'body = fresh' },
  settingOf('headers'),
  settingOf('cookies'),
  settingOf('proxy,sealed'),
  settingOf('login,steps'),
]

type Reading = Pick<OpenInstance, 'pool'>
type Ring = {
  sealer: Sealer
  /** The prefix of all values that the newest key has sealed. */
  newest: string
}
type Row = { key: number; sealed: string }
/** Number of rows that were sealed again, and of rows that no known key opens. */
export type Resealed = { resealed: number; unreadable: number }

const batchSize = 500
const answerLimitMs = 10_000

export async function resealTables({ pool, bus }: OpenInstance, ring: Ring): Promise<Resealed> {
  const all: Resealed = { resealed: 0, unreadable: 0 }
  for (const column of sealedColumns) add(all, await resealColumn({ pool }, column, ring))
  return add(all, await resealProxies({ pool, bus }, ring))
}

/** Returns the number of rows that are not sealed with the newest key. */
export async function countStale({ pool }: Reading, newest: string): Promise<number> {
  let stale = 0
  for (const { table, field } of [...sealedColumns, proxies]) {
    const sql = `select count(*)::int as stale from ${table} where ${isStale(field, '$1')}`
    stale += (await pool.query<{ stale: number }>(sql, [newest])).rows[0]?.stale ?? 0
  }
  return stale
}

/**
 * Proxies of projects. auth-billing seals them again on request, by the name of the project, and notifies the other
 * services.
 */
const proxies = { table: 'account.project', field: "proxy ->> 'sealed'" }

const isStale = (field: string, newest: string) => `not starts_with(${field}, ${newest})`

async function resealColumn({ pool }: Reading, column: SealedColumn, ring: Ring): Promise<Resealed> {
  const { table, key, field, set } = column
  const next = `select ${key} as key, ${field} as sealed from ${table}
    where ${key} > $1 and ${isStale(field, '$2')} order by ${key} limit ${batchSize}`
  const write = `update ${table} set ${set} from unnest($1::bigint[], $2::text[], $3::text[]) as part (row_key, stale, fresh)
    where ${key} = row_key and ${field} = stale`
  const all: Resealed = { resealed: 0, unreadable: 0 }
  for (let after = 0; ; ) {
    const { rows } = await pool.query<Row>(next, [after, ring.newest])
    const last = rows.at(-1)
    if (last === undefined) return all
    after = last.key
    const fresh = rows.flatMap(row => {
      const text = openOrNull(ring.sealer, row.sealed)
      return text === null ? [] : [{ ...row, fresh: ring.sealer.seal(text) }]
    })
    const values = [fresh.map(row => row.key), fresh.map(row => row.sealed), fresh.map(row => row.fresh)]
    const { rowCount } = await pool.query(write, values)
    add(all, { resealed: rowCount ?? 0, unreadable: rows.length - fresh.length })
  }
}

async function resealProxies(
  { pool, bus }: Pick<OpenInstance, 'pool' | 'bus'>,
  ring: Ring,
): Promise<Resealed> {
  const { table, field } = proxies
  const { rows } = await pool.query<{ name: string; sealed: string }>(
    `select name, ${field} as sealed from ${table} where ${isStale(field, '$1')} order by id`,
    [ring.newest],
  )
  const all: Resealed = { resealed: 0, unreadable: 0 }
  for (const { name, sealed } of rows) {
    const proxyUrl = openOrNull(ring.sealer, sealed)
    if (proxyUrl === null) all.unreadable++
    else {
      const question = { name, proxyUrl }
      await call(bus, accountsRpc.setProject, question, { timeoutMs: answerLimitMs })
      all.resealed++
    }
  }
  return all
}

function add(all: Resealed, { resealed, unreadable }: Resealed): Resealed {
  all.resealed += resealed
  all.unreadable += unreadable
  return all
}
