/**
 * Stores the signing secrets of projects, sealed, with 32 random bytes each. The first one is created when it is first
 * needed. Replaced secrets sign beside the newest one until they expire.
 */
import { randomBytes } from 'node:crypto'
import { refuse } from '@tidemark/bus/refusal'
import { named } from '@tidemark/contracts/health'
import { inTransaction } from '@tidemark/db/transaction'
import { openOrNull, type Sealer, SecretUnreadable } from '@tidemark/secrets/seal'
import type { Pool, PoolClient } from 'pg'
import { batched } from './batched.ts'

/** Secrets in lower-case hex, the newest first. */
export type SecretsHex = [newest: string, ...older: string[]]

export type SecretStore = {
  /** Rejects with SecretUnreadable if the newest secret was sealed with another key. */
  secretsOf(projectId: number): Promise<SecretsHex>
  /** Returns the new secret. Rejects with `conflict` if more than four older secrets would sign beside it. */
  rotate(projectId: number, graceSeconds: number): Promise<string>
  /** Deletes all secrets of the project and returns their number. */
  forget(projectId: number): Promise<number>
  /** Returns a warning with the number of projects whose secrets could not be read last time, or null. */
  warning(): string | null
}

const secretBytes = 32
const maxOlder = 4

/** Maximum number of projects in one statement. */
const maxProjects = 128

/** Sorted by project, the newest secret of each first. */
const find = `
  select project_id, sealed from (
    select project_id, sealed, null::bigint as id from webhook.secret where project_id = any($1)
    union all
    select project_id, sealed, id from webhook.old_secret
    where project_id = any($1) and until > clock_timestamp()
  ) as all_secrets order by id desc nulls first`

const make = 'insert into webhook.secret (project_id, sealed) values ($1, $2) on conflict do nothing'

const shorten = `
  update webhook.old_secret set until = least(until, clock_timestamp() + make_interval(secs => $2))
  where project_id = $1`

const keep = `
  insert into webhook.old_secret (project_id, sealed, until)
  values ($1, $2, clock_timestamp() + make_interval(secs => $3))`

const forget = `
  with newest as (delete from webhook.secret where project_id = $1 returning 1),
    older as (delete from webhook.old_secret where project_id = $1 returning 1)
  select ((select count(*) from newest) + (select count(*) from older))::int as n`

type Row = { project_id: number; sealed: string }

export function openSecrets(pool: Pool, sealer: Sealer): SecretStore {
  const { seal, open } = sealer
  const unreadable = new Set<number>()
  const sealedOf = batched((projectIds: number[]) => findAll(pool, projectIds), maxProjects)
  return {
    async secretsOf(projectId) {
      let sealed = await sealedOf(projectId)
      if (sealed.length === 0) {
        // If two processes create the secret, both use the first one.
        await pool.query(make, [projectId, seal(fresh())])
        sealed = await sealedOf(projectId)
      }
      const [newest, ...older] = sealed
      if (newest === undefined) throw new Error(`the secret of project ${projectId} could not be made`)
      return [openNewest(projectId, newest), ...older.flatMap(old => openOrNull(sealer, old) ?? [])]
    },

    rotate: (projectId, graceSeconds) =>
      inTransaction(pool, async client => {
        const secret = fresh()
        const made = await client.query(make, [projectId, seal(secret)])
        if (made.rowCount === 0) await replace(client, sealer, { projectId, graceSeconds, secret })
        unreadable.delete(projectId)
        return secret
      }),

    async forget(projectId) {
      const { rows } = await pool.query<{ n: number }>(forget, [projectId])
      unreadable.delete(projectId)
      return rows[0]?.n ?? 0
    },

    warning: () =>
      unreadable.size === 0
        ? null
        : named('secret_unreadable', `the secrets of ${unreadable.size} projects, whose webhooks wait`),
  }

  function openNewest(projectId: number, sealed: string): string {
    try {
      const text = open(sealed)
      unreadable.delete(projectId)
      return text
    } catch (error) {
      if (error instanceof SecretUnreadable) unreadable.add(projectId)
      throw error
    }
  }
}

type Replacement = { projectId: number; graceSeconds: number; secret: string }

/** Replaces the newest secret. An unreadable one is dropped, so that rotation works after the loss of a key. */
async function replace(
  client: PoolClient,
  sealer: Sealer,
  { projectId, graceSeconds, secret }: Replacement,
): Promise<void> {
  const { rows } = await client.query<Row>(
    'select sealed from webhook.secret where project_id = $1 for update',
    [projectId],
  )
  await client.query(shorten, [projectId, graceSeconds])
  await client.query('delete from webhook.old_secret where project_id = $1 and until <= clock_timestamp()', [
    projectId,
  ])
  for (const { sealed: old } of rows) {
    const text = graceSeconds > 0 ? openOrNull(sealer, old) : null
    if (text !== null) await client.query(keep, [projectId, sealer.seal(text), graceSeconds])
  }
  const older = await client.query('select from webhook.old_secret where project_id = $1', [projectId])
  if ((older.rowCount ?? 0) > maxOlder) throw tooMany()
  await client.query(
    'update webhook.secret set sealed = $2, created_at = clock_timestamp() where project_id = $1',
    [projectId, sealer.seal(secret)],
  )
}

async function findAll(pool: Pool, projectIds: number[]): Promise<string[][]> {
  const { rows } = await pool.query<Row>({ name: 'secrets', text: find, values: [[...new Set(projectIds)]] })
  const byProject = Map.groupBy(rows, row => row.project_id)
  return projectIds.map(projectId => (byProject.get(projectId) ?? []).map(({ sealed }) => sealed))
}

const fresh = () => randomBytes(secretBytes).toString('hex')

const tooMany = () =>
  refuse('conflict', {
    reason: 'too_many_secrets',
    message: `${maxOlder} older secrets still sign. Wait until one ends, or send grace_seconds 0 to end them all.`,
  })
