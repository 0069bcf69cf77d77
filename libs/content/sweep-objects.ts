/**
 * Removes objects whose names no body has: those of swept bodies, and those that were announced an hour ago and never
 * used. A name is first marked for deletion, so that no later transaction can use it. Then its object is removed,
 * then the name. If a process dies in between, a marked name remains, and the next sweep starts with it.
 *
 * An object that is being stored at that moment is never affected, because a body that is stored again has another
 * name.
 */
import type { PoolClient } from 'pg'
import { forEachConcurrently, type Objects } from './objects.ts'
import type { Transaction } from './transaction.ts'

const objectsAtOnce = 500

/** Removes objects until none is due. Rejects with `BodiesAway`. Objects that were removed by then are recorded. */
export async function sweepObjects(
  transaction: Transaction,
  objects: Objects,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const names = await transaction(markForDeletion)
    if (names.length === 0) return
    const { done, failure } = await forEachConcurrently(names, objects.remove)
    await transaction(client =>
      client.query('delete from content.object where name = any($1) and doomed', [done]),
    )
    if (failure !== null) throw failure
  }
}

async function markForDeletion(client: PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `update content.object set doomed = true where name in (
       select name from content.object where sweep_at <= now() order by sweep_at
       limit ${objectsAtOnce} for update skip locked)
     returning name`,
  )
  return rows.map(({ name }) => name)
}
