/**
 * Projects and keys in Postgres, where they are decided: a name is taken by the insert itself, so of any number
 * of requests for one name a single one succeeds.
 */
import { encodeJson } from '@tidemark/bus/codec'
import type { AccountCommit, AccountEvent } from '@tidemark/contracts/account'
import { type KeyRow, type KeyView, keyViewOf } from '@tidemark/contracts/ask/accounts'
import type { Tier } from '@tidemark/contracts/primitives'
import type { OwnProxy } from '@tidemark/contracts/run-settings'
import { subjects } from '@tidemark/contracts/subjects'
import type { Database } from '@tidemark/db/database'
import { enqueue } from '@tidemark/db/outbox'
import type { PoolClient } from 'pg'
import { write } from './keys.ts'

export type NewProject = {
  name: string
  tier: Tier
  unlimited: boolean
  at: string
  trace: string | undefined
}
export type ProxyChange = { name: string; proxy: OwnProxy | null; at: string; trace: string | undefined }

export type Accounts = {
  /**
   * Takes the name, and writes what `decide` says for the project's id, all or nothing. Null when the name is
   * taken; else the row of the outbox that tells of it.
   */
  create(
    project: NewProject,
    decide: (projectId: number) => AccountEvent[],
  ): Promise<{ projectId: number; outboxId: number } | null>
  /** Null where there is no such project; else the row of the outbox that tells of it. */
  setProxy(change: ProxyChange): Promise<{ projectId: number; outboxId: number } | null>
  findKey(prefix: string): Promise<KeyView | null>
}

const schema = 'account'

export function accounts({ pool, transaction }: Database): Accounts {
  return {
    create: (project, decide) =>
      transaction(async client => {
        const projectId = await takeName(client, project)
        if (projectId === null) return null
        const events = decide(projectId)
        for (const event of events) await write(client, event)
        const { at, trace } = project
        const commit: AccountCommit = { at, events, ...(trace !== undefined && { trace }) }
        const message = { subject: subjects.account(projectId), payload: encodeJson(commit) }
        return { projectId, outboxId: await enqueue(client, schema, message) }
      }),

    setProxy: change => transaction(client => setProxy(client, change)),

    async findKey(prefix) {
      const { rows } = await pool.query<KeyRow>({ name: 'key', text: oneKey, values: [prefix] })
      return rows[0] ? keyViewOf(rows[0]) : null
    },
  }
}

/** Prepared once a connection: every gateway asks for each key in use every few seconds. */
const oneKey = `select prefix, hash, project_id, tier, unlimited, expires_at, revoked_at, proxy
  from account.key join account.project on project.id = project_id where prefix = $1`

async function takeName(
  client: PoolClient,
  { name, tier, unlimited, at }: NewProject,
): Promise<number | null> {
  const { rows } = await client.query(
    `insert into account.project (name, tier, unlimited, created_at) values ($1, $2, $3, $4)
     on conflict (name) do nothing returning id`,
    [name, tier, unlimited, at],
  )
  return rows[0] ? Number(rows[0].id) : null
}

async function setProxy(client: PoolClient, { name, proxy, at, trace }: ProxyChange) {
  const { rows } = await client.query(`update account.project set proxy = $2 where name = $1 returning id`, [
    name,
    proxy,
  ])
  if (!rows[0]) return null
  const projectId = Number(rows[0].id)
  const events: AccountEvent[] = [{ type: 'ProjectProxySet', data: { projectId, proxy } }]
  const commit: AccountCommit = { at, events, ...(trace !== undefined && { trace }) }
  const message = { subject: subjects.account(projectId), payload: encodeJson(commit) }
  return { projectId, outboxId: await enqueue(client, schema, message) }
}
