/**
 * Turns events of accounts into rows; no other code does this. The same transaction stores the events in the outbox.
 */
import { encodeJson } from '@tidemark/bus/codec'
import { type AccountEvent, changedEnds, type IntentEvent } from '@tidemark/contracts/account'
import { subjects } from '@tidemark/contracts/subjects'
import { enqueue } from '@tidemark/db/outbox'
import type { PoolClient } from 'pg'

/** The time of the decision, and the trace of the request. */
export type CommitInfo = { at: string; trace: string | undefined }

const schema = 'account'

/**
 * Writes the events of a project and its keys in the caller's transaction. The row of the project exists already.
 * @param events at least one
 * @returns the id of their row in the outbox
 */
export async function record(
  client: PoolClient,
  projectId: number,
  info: CommitInfo,
  events: AccountEvent[],
): Promise<number> {
  for (const event of events) await write(client, event)
  return enqueueCommit(client, subjects.account(projectId), info, events)
}

/** Stores a commit with these events in the outbox, in the caller's transaction. Returns the id of its row. */
export async function enqueueCommit(
  client: PoolClient,
  subject: string,
  { at, trace }: CommitInfo,
  events: (AccountEvent | IntentEvent)[],
): Promise<number> {
  const commit = { at, events, ...(trace !== undefined && { trace }) }
  return enqueue(client, schema, { subject, payload: encodeJson(commit) })
}

async function write(client: PoolClient, event: AccountEvent): Promise<void> {
  const statement = statementOf(event)
  if (statement !== null) await client.query(...statement)
}

function statementOf({ type, data }: AccountEvent): [sql: string, values: unknown[]] | null {
  switch (type) {
    case 'KeyCreated': {
      const { prefix, hash, projectId, label, createdAt, expiresAt } = data
      return [createKey, [prefix, hash, projectId, label, createdAt, expiresAt]]
    }
    case 'KeysSuperseded':
      return [supersede, [data.prefixes, data.expiresAt]]
    case 'KeyRevoked':
      return ['update account.key set revoked_at = $2 where prefix = $1', [data.prefix, data.revokedAt]]
    case 'KeyCapsSet':
      return ['update account.key set caps = $2 where prefix = $1', [data.prefix, data.caps]]
    case 'ProjectTierSet':
      return [setTier, [data.projectId, data.tier, data.unlimited]]
    case 'ProjectCapsSet':
      return ['update account.project set caps = $2 where id = $1', [data.projectId, data.caps]]
    case 'ProjectCloudModeSet':
      return ['update account.project set cloud_mode = $2 where id = $1', [data.projectId, data.cloudMode]]
    case 'ProjectProxySet':
      return ['update account.project set proxy = $2 where id = $1', [data.projectId, data.proxy]]
    case 'CrawlSharesEnded':
      return [changeEnds, [data.projectId, ...changedEnds(data)]]
    case 'ProjectModelConsentSet': {
      const { projectId, host, by, at } = data
      const consent = host === null ? null : { host, by, at }
      return ['update account.project set model_consent = $2 where id = $1', [projectId, consent]]
    }
    default:
      return null
  }
}

/** All changes of several keys lock them in this order, so that no two transactions deadlock. */
export const lockInOrder = 'order by key.prefix for no key update of key'

const createKey = `
  insert into account.key (prefix, hash, project_id, label, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6)`

const setTier = 'update account.project set tier = $2, unlimited = $3 where id = $1'

const changeEnds = `
  update account.project set shares_ended = (coalesce(shares_ended, '{}') - $2::text[]) || $3::jsonb where id = $1`

const supersede = `
  with locked as materialized (select prefix from account.key where prefix = any($1) ${lockInOrder})
  update account.key set expires_at = $2 from locked where key.prefix = locked.prefix`
