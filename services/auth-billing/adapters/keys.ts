/**
 * Stores the keys of projects in Postgres. Changes of one project's keys run one after the other, so concurrent
 * revocations cannot remove the last valid key. Waiting changes of a project share one connection, because the
 * gateways' requests for keys need the others.
 */
import { refuse } from '@tidemark/bus/refusal'
import type { AccountEvent, SharesEnded } from '@tidemark/contracts/account'
import { secondsToMidnight } from '@tidemark/contracts/calendar'
import type { ApiKeyView } from '@tidemark/contracts/http/keys'
import type { Caps } from '@tidemark/contracts/limits'
import type { Timestamp } from '@tidemark/contracts/primitives'
import type { KeysUsed } from '@tidemark/contracts/rpc/keys'
import type { Database } from '@tidemark/db/database'
import { serialByKey } from '@tidemark/db/serial'
import type { PoolClient } from 'pg'
import type { KeyRing } from '../domain/key-ring.ts'
import { lockInOrder, record } from './write-event.ts'

export type Keys = {
  /** Returns the keys in the order of their creation. */
  list(projectId: number): Promise<ApiKeyView[]>
  /**
   * Writes the events that `decide` returns for the current keys, all or nothing, and returns the id of the outbox row;
   * null: there were no events. If `decide` returns a string, it is a rejection: it is returned, and nothing is
   * written. Rejects with a `Refusal` after too many changes of a day (`account_changes`), and if the gateway does not
   * wait any longer (`unavailable`).
   */
  change<Refused extends string>(
    projectId: number,
    trace: string | undefined,
    decide: (ring: KeyRing, at: Timestamp) => AccountEvent[] | Refused,
  ): Promise<Refused | { outboxId: number | null }>
  recordUsed(used: KeysUsed['used']): Promise<void>
}

export function openKeys({ pool, transaction }: Database): Keys {
  const serially = serialByKey<number>()
  return {
    async list(projectId) {
      const { rows } = await pool.query<Row>(allOfProject, [projectId])
      return rows.map(viewOf)
    },

    change: (projectId, trace, decide) => {
      const requestedAt = performance.now()
      return serially(projectId, () =>
        transaction(async client => {
          const ring = await lockedRing(client, projectId)
          // The client no longer waits. A rotation would end its keys, and no client would receive the new key.
          if (performance.now() - requestedAt > maxWaitMs) throw refuse('unavailable')
          // The time is read after the lock. Otherwise a key that ended during the wait would still count as valid.
          const at = new Date().toISOString()
          const decided = decide(ring, at)
          if (typeof decided === 'string') return decided
          if (decided.length === 0) return { outboxId: null }
          if (!decided.every(isEnd)) await countChange(client, projectId, at)
          return { outboxId: await record(client, projectId, { at, trace }, decided) }
        }),
      )
    },

    async recordUsed(used) {
      await pool.query(updateUsed, [used.map(({ prefix }) => prefix), used.map(({ at }) => at)])
    },
  }
}

/** Maximum wait in milliseconds: less than the time that gateways wait for a change. */
const maxWaitMs = 8_000
/** Maximum number of changes of a project and UTC day, because each is kept for ever. */
const maxChangesOfDay = 500

/**
 * Returns whether the event revokes a key. The limit does not apply to revocations, because each key is revoked only
 * once.
 */
const isEnd = ({ type }: AccountEvent): boolean => type === 'KeyRevoked'

async function countChange(client: PoolClient, projectId: number, at: string): Promise<void> {
  const { rows } = await client.query<{ changes: number }>(
    `update account.project set changed_on = $2::date,
       changes = case when changed_on = $2::date then changes else 0 end + 1
     where id = $1 returning changes`,
    [projectId, at.slice(0, 10)],
  )
  if ((rows[0]?.changes ?? 0) <= maxChangesOfDay) return
  throw refuse('too_many_requests', {
    reason: 'account_changes',
    message: `The project has changed its keys, shares and consent ${maxChangesOfDay} times today (UTC). Keys can still be revoked.`,
    retryAfterSeconds: secondsToMidnight(Date.parse(at)),
  })
}

type Row = {
  prefix: string
  label: string
  created_at: Date
  last_used_at: Date | null
  revoked_at: Date | null
  expires_at: Date | null
  caps: Caps | null
}

const allOfProject = `select prefix, label, created_at, last_used_at, revoked_at, expires_at, caps
  from account.key where project_id = $1 order by created_at, prefix`

const viewOf = ({ prefix, label, created_at, last_used_at, revoked_at, expires_at }: Row): ApiKeyView => ({
  prefix,
  label,
  created_at: created_at.toISOString(),
  last_used_at: last_used_at?.toISOString() ?? null,
  revoked_at: revoked_at?.toISOString() ?? null,
  expires_at: expires_at?.toISOString() ?? null,
})

async function lockedRing(client: PoolClient, projectId: number): Promise<KeyRing> {
  const project = await client.query<{ shares_ended: SharesEnded | null }>(
    'select shares_ended from account.project where id = $1 for update',
    [projectId],
  )
  const { rows } = await client.query<Row>(allOfProject, [projectId])
  const keys = rows.map(({ prefix, caps, expires_at, revoked_at }) => ({
    prefix,
    caps: caps ?? {},
    expiresAt: expires_at?.toISOString() ?? null,
    revokedAt: revoked_at?.toISOString() ?? null,
  }))
  return { projectId, keys, sharesEnded: project.rows[0]?.shares_ended ?? {} }
}

const updateUsed = `
  with locked as materialized (
    select key.prefix, used.at
    from account.key join unnest($1::text[], $2::timestamptz[]) as used (prefix, at) on used.prefix = key.prefix
    ${lockInOrder}
  )
  update account.key set last_used_at = greatest(last_used_at, locked.at) from locked where key.prefix = locked.prefix`
