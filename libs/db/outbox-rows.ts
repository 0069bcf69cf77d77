/**
 * Reads, locks and removes the rows of an outbox. A relay can lock only the first row of a subject, which locks the
 * subject. The order of its rows is therefore kept with any number of relays.
 */
import type { Pool, PoolClient } from 'pg'

export type OutboxRow = {
  id: number
  subject: string
  payload: Uint8Array
  headers: Record<string, string>
  /** The expected last sequence of the subject; null for a subject that only this outbox writes. */
  expectLast: number | null
  ageSeconds: number
}

const maxRows = 256
/** Limit for the payloads before the last returned row. A row can have 2 MB, and all rows are in memory together. */
const maxBytes = 16 * 1024 ** 2

/**
 * Locks and returns the first row of each subject that has one of the rows `ids`, or a row older than `ageSeconds`.
 * Skips rows that another relay has locked. Returns at most `maxRows` rows, and no further ones after `maxBytes` of
 * payload. The streams, which are the first tokens of the subjects, have equal shares of both: the rows of a full stream
 * stay, and must not keep back those of others. Takes linear time: one subject can have ten thousand rows, of which each
 * call returns one.
 */
export async function takeFirstRows(
  client: PoolClient,
  schema: string,
  { ids, ageSeconds }: { ids: number[]; ageSeconds: number },
): Promise<OutboxRow[]> {
  const { rows } = await client.query(
    `with taken as materialized (
       select id, subject, payload, headers, expect_last, round,
         extract(epoch from clock_timestamp() - created_at)::float8 as age
       from ${schema}.outbox as row join (
         select min(id) as id,
           row_number() over (partition by split_part(subject, '.', 1) order by min(id)) as round
         from ${schema}.outbox
         where subject in (
           select subject from ${schema}.outbox
           where id = any($1) or created_at < now() - make_interval(secs => $2)
         )
         group by subject
       ) as first using (id)
       order by round, id limit ${maxRows}
       for update of row skip locked
     ), measured as (
       select *, sum(octet_length(payload)) over (order by round, id) - octet_length(payload) as bytes_before
       from taken
     )
     select id, subject, payload, headers, expect_last, age from measured
     where bytes_before < ${maxBytes} order by id`,
    [ids, ageSeconds],
  )
  return rows.map(({ id, subject, payload, headers, expect_last, age }) => ({
    id: Number(id),
    subject,
    payload,
    headers,
    expectLast: expect_last === null ? null : Number(expect_last),
    ageSeconds: age,
  }))
}

/** Returns whether a row is older than `ageSeconds`, by one statement instead of the transaction that takes rows. */
export async function hasOldRows(pool: Pool, schema: string, ageSeconds: number): Promise<boolean> {
  const { rows } = await pool.query<{ found: boolean }>(
    `select exists (
       select from ${schema}.outbox where created_at < now() - make_interval(secs => $1)
     ) as found`,
    [ageSeconds],
  )
  return rows[0]?.found === true
}

/** Removes rows, in the transaction that has locked them. */
export async function removeRows(client: PoolClient, schema: string, ids: number[]): Promise<void> {
  await client.query(`delete from ${schema}.outbox where id = any($1)`, [ids])
}

/** Returns which of these rows still exist; all rows without `ids`. */
export async function presentRows(
  database: Pool | PoolClient,
  schema: string,
  ids: number[] | null = null,
): Promise<number[]> {
  const { rows } = await database.query(
    `select id from ${schema}.outbox where $1::bigint[] is null or id = any($1) order by id`,
    [ids],
  )
  return rows.map(row => Number(row.id))
}
