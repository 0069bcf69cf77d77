/**
 * Closes the account of a project, all or nothing: revokes its keys, and deletes its proxy and all addresses of people
 * that are stored for it. The project keeps its name and the ids of its payments.
 */
import type { AccountEvent } from '@tidemark/contracts/account'
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import { subjectFor } from '../domain/key-mail.ts'
import { type CommitInfo, record } from './write-event.ts'

export type Closed = {
  projectId: number
  keys: number
  addresses: number
  subscription: string | null
  /** Id of the row in the outbox; null: nothing changed, so there are no events. */
  outboxId: number | null
}

/** Returns null when the project does not exist. */
export type CloseAccount = (name: string, info: CommitInfo) => Promise<Closed | null>

export const closingIn =
  ({ transaction }: Pick<Database, 'transaction'>): CloseAccount =>
  (name, info) =>
    transaction(async client => {
      const { rows } = await client.query<{ id: number; has_proxy: boolean }>(lockProject, [name])
      if (!rows[0]) return null
      const { id: projectId, has_proxy } = rows[0]
      const prefixes = await openKeys(client, projectId)
      const events = eventsOf(projectId, prefixes, has_proxy, info.at)
      const outboxId = events.length > 0 ? await record(client, projectId, info, events) : null
      const billing = await client.query<{ subscription: string | null }>(billingOf, [projectId])
      return {
        projectId,
        keys: prefixes.length,
        addresses: await forgetAddresses(client, projectId, name),
        subscription: billing.rows[0]?.subscription ?? null,
        outboxId,
      }
    })

const lockProject = `select id, coalesce(proxy, 'null') <> 'null' as has_proxy from account.project where name = $1 for update`
const billingOf = 'select subscription from account.billing where project_id = $1'

/** Returns the prefixes of all keys that are not revoked, including expired keys. */
async function openKeys(client: PoolClient, projectId: number): Promise<string[]> {
  const { rows } = await client.query<{ prefix: string }>(
    'select prefix from account.key where project_id = $1 and revoked_at is null order by prefix for no key update',
    [projectId],
  )
  return rows.map(({ prefix }) => prefix)
}

function eventsOf(projectId: number, prefixes: string[], hasProxy: boolean, at: string): AccountEvent[] {
  const revoked = prefixes.map(prefix => ({
    type: 'KeyRevoked' as const,
    data: { projectId, prefix, revokedAt: at },
  }))
  return hasProxy ? [...revoked, { type: 'ProjectProxySet', data: { projectId, proxy: null } }] : revoked
}

/**
 * Returns the number of rows that had an address. Mails are deleted first, because the mails of free projects are found
 * by the address in the billing data, which is erased last.
 */
async function forgetAddresses(client: PoolClient, projectId: number, name: string): Promise<number> {
  const mails = await client.query(forgetMails, [projectId, subjectFor(name)])
  const intents = await client.query(forgetIntents, [projectId])
  const billing = await client.query(forgetBilling, [projectId])
  return [mails, intents, billing].reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0)
}

const forgetMails = `
  delete from account.mail
  where key in (select 'intent:' || id from account.intent where project_id = $1)
    or (key like 'signup:%' and subject = $2
      and recipient = (select email from account.billing where project_id = $1))`

const forgetIntents = `update account.intent set email = '', client_ip_hash = '' where project_id = $1 and email <> ''`

const forgetBilling = 'update account.billing set email = null where project_id = $1 and email is not null'
