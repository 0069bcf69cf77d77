/**
 * Removes objects whose names no body has: those of swept bodies, and those that were announced an hour ago and never
 * taken. A name is marked for deletion first, so that no process takes it later. Then its object is removed, and then
 * the name. A process that dies in between leaves a marked name, with which the next turn begins. An object that is
 * being stored is never met, because a body that is stored again has another name.
 */
import type { PoolClient } from 'pg'
import { inLanes, type Objects } from './objects.ts'
import type { Transaction } from './transaction.ts'

const objectsAtOnce = 500

/** Until no more are due. Rejects with `BodiesAway`; what was removed by then is written down. */
export async function sweepObjects(
  transaction: Transaction,
  objects: Objects,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const names = await transaction(doom)
    if (names.length === 0) return
    const { done, failure } = await inLanes(names, objects.remove)
    await transaction(client =>
      client.query('delete from content.object where name = any($1) and doomed', [done]),
    )
    if (failure !== null) throw failure
  }
}

async function doom(client: PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `update content.object set doomed = true where name in (
       select name from content.object where sweep_at <= now() order by sweep_at
       limit ${objectsAtOnce} for update skip locked)
     returning name`,
  )
  return rows.map(({ name }) => name)
}
