/**
 * Assigns names of projects. A name belongs to one project, or is reserved by one intent that may still be paid. Names
 * are taken under a lock, so of concurrent requests for one name exactly one succeeds.
 */
import type { Tier } from '@tidemark/contracts/primitives'
import type { PoolClient } from 'pg'

/** Why a name is not free: a project has it, or an intent that may still be paid reserves it. */
export type NotFree = 'taken' | 'reserved'

export type NamedProject = { name: string; tier: Tier; unlimited: boolean; at: string }

const lockOfNames = 0x6e61

/** Locks a name: until the transaction ends, no other transaction takes or reserves it. */
export async function lockName(client: PoolClient, name: string): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [lockOfNames, name])
}

/** Creates a project and returns its id, or why its name is not free. The intent `intentId` may have reserved it. */
export async function takeName(
  client: PoolClient,
  { name, tier, unlimited, at }: NamedProject,
  intentId: number | null = null,
): Promise<number | NotFree> {
  await lockName(client, name)
  if (await isHeld(client, name, at, intentId)) return 'reserved'
  const { rows } = await client.query(
    `insert into account.project (name, tier, unlimited, created_at) values ($1, $2, $3, $4)
     on conflict (name) do nothing returning id`,
    [name, tier, unlimited, at],
  )
  return rows[0] ? Number(rows[0].id) : 'taken'
}

/** Returns whether an intent may reserve this name. The caller has locked it. */
export async function isFree(client: PoolClient, name: string, at: string): Promise<boolean> {
  if (await isHeld(client, name, at, null)) return false
  const { rowCount } = await client.query('select from account.project where name = $1', [name])
  return rowCount === 0
}

async function isHeld(
  client: PoolClient,
  name: string,
  at: string,
  exceptIntentId: number | null,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from account.intent
     where project_name = $1 and status in ('pending', 'checkout_created') and expires_at > $2
       and id is distinct from $3`,
    [name, at, exceptIntentId],
  )
  return rowCount !== 0
}
