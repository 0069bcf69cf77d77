/**
 * How objects go whose names no body has: those of bodies that were swept, and those that were announced an hour ago and
 * never taken. A name is doomed first, and then nobody takes it any more, however late he comes; then its object is
 * removed; then the name goes. Whoever dies in between leaves a name that is doomed, and the next turn begins with it.
 *
 * An object that is being stored at that moment is never met, for what is stored again has another name.
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
