/**
 * Records the tokens of USAGE that were read, in a temporary table of Postgres, so that the memory of a check does not
 * grow with the history.
 */
import type { CountFresh } from './billed-totals.ts'
import type { OpenInstance } from './open-instance.ts'

const insertFresh = `
  with fresh as (
    insert into pg_temp.seen (token, list) select md5(token)::uuid, list from unnest($1::text[], $2::integer[]) as t (token, list)
    on conflict do nothing returning list
  )
  select list, count(*)::integer as fresh from fresh group by list`

/** Returns a counter of tokens that were not counted before. It holds a database connection until it is disposed. */
export async function seenTokens({
  pool,
}: Pick<OpenInstance, 'pool'>): Promise<AsyncDisposable & { countFresh: CountFresh }> {
  const client = await pool.connect()
  await client.query('create temporary table seen (token uuid primary key, list integer not null)')
  return {
    async countFresh(lists) {
      const numbers = lists.flatMap((list, number) => list.map(() => number))
      if (numbers.length === 0) return lists.map(() => 0)
      const { rows } = await client.query<{ list: number; fresh: number }>(insertFresh, [
        lists.flat(),
        numbers,
      ])
      const counts = new Map(rows.map(({ list, fresh }) => [list, fresh]))
      return lists.map((_, number) => counts.get(number) ?? 0)
    },
    async [Symbol.asyncDispose]() {
      await client.query('drop table pg_temp.seen').finally(() => client.release())
    },
  }
}
