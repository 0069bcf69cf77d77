/**
 * Ends the autovacuums that stand in the way of a lock of many tables. Postgres cancels an autovacuum only for a statement that
 * waits for longer than `deadlock_timeout` (1 s). It cancels none that prevents wraparound.
 */
import type pg from 'pg'

/** Milliseconds for which the writers of one table may wait. */
const waitMs = 1_500
/** SQLSTATE of a lock timeout and of a deadlock. */
const lockFailures = new Set(['55P03', '40P01'])

/** @param tables the names of the tables as SQL */
export async function endVacuums(client: Pick<pg.Client, 'query'>, tables: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct name from unnest($1::text[]) as name join pg_locks on relation = name::regclass
     where mode = 'ShareUpdateExclusiveLock' and granted
       and database = (select oid from pg_database where datname = current_database())`,
    [tables],
  )
  for (const { name } of rows)
    try {
      await client.query(`begin; set local lock_timeout = ${waitMs}`)
      await client.query(`lock table ${name} in share mode`)
    } catch (error) {
      if (!lockFailures.has(String(Reflect.get(Object(error), 'code')))) throw error
    } finally {
      await client.query('rollback')
    }
}
