/**
 * Stores the terms of projects in Postgres. Concurrent changes run one after the other, so each sees the result of the
 * previous one.
 */
import type { AccountEvent } from '@tidemark/contracts/account'
import { type Caps, limitsOf, type PageLimits } from '@tidemark/contracts/limits'
import type { ModelConsent, ReadTermsResponse } from '@tidemark/contracts/rpc/accounts'
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import type { KeyTerms, ProjectTerms } from '../domain/terms.ts'
import { type CommitInfo, record } from './write-event.ts'

/** `outboxId` is null when nothing changed. */
type Changed<Now> = { outboxId: number | null; now: Now }

export type TermsOfAccounts = {
  read(projectId: number): Promise<ReadTermsResponse['terms']>
  /** Returns the consent to send pages to a language model; null: without one. */
  modelConsent(projectId: number): Promise<ModelConsent | null>
  /**
   * Writes the events that `decide` returns, all or nothing. Returns the resulting terms; null when the project does not
   * exist.
   */
  changeProject(
    name: string,
    info: CommitInfo,
    decide: (project: ProjectTerms) => AccountEvent[],
  ): Promise<Changed<ProjectTerms> | null>
  /**
   * Writes the events that `decide` returns for a key, all or nothing. Returns the resulting limits of the key; null
   * when the key does not exist.
   */
  changeKey(
    prefix: string,
    info: CommitInfo,
    decide: (key: KeyTerms) => AccountEvent[],
  ): Promise<Changed<{ projectId: number; limits: PageLimits }> | null>
}

export function termsOfAccounts({ pool, transaction }: Database): TermsOfAccounts {
  return {
    async read(projectId) {
      const { rows } = await pool.query<ProjectTerms>({
        name: 'terms',
        text: oneProject,
        values: [projectId],
      })
      const [row] = rows
      return row ? { tier: row.tier, unlimited: row.unlimited, caps: row.caps } : null
    },

    async modelConsent(projectId) {
      const { rows } = await pool.query<{ model_consent: ModelConsent | null }>(
        'select model_consent from account.project where id = $1',
        [projectId],
      )
      return rows[0]?.model_consent ?? null
    },

    changeProject: (name, info, decide) =>
      transaction(async client => {
        const before = await lockProject(client, 'name', name)
        if (before === null) return null
        const events = decide(before)
        const outboxId = events.length > 0 ? await record(client, before.projectId, info, events) : null
        return { outboxId, now: (await lockProject(client, 'name', name)) ?? before }
      }),

    changeKey: (prefix, info, decide) =>
      transaction(async client => {
        const { rows } = await client.query<{ project_id: number }>(keyOf, [prefix])
        const projectId = rows[0]?.project_id
        const project = projectId === undefined ? null : await lockProject(client, 'id', projectId)
        if (project === null) return null
        const key = { projectId: project.projectId, prefix }
        const events = decide({ ...key, caps: await capsOf(client, prefix) })
        const outboxId = events.length > 0 ? await record(client, key.projectId, info, events) : null
        const limits = limitsOf({ ...project, keyCaps: await capsOf(client, prefix) })
        return { outboxId, now: { projectId: key.projectId, limits } }
      }),
  }
}

const fields = `id as "projectId", tier, unlimited, coalesce(caps, '{}') as caps, cloud_mode as "cloudMode", proxy`
const oneProject = `select ${fields} from account.project where id = $1`
const keyOf = 'select project_id from account.key where prefix = $1'

/** Locks the project before its keys, as all changes of keys do. */
async function lockProject(
  client: PoolClient,
  by: 'name' | 'id',
  value: string | number,
): Promise<ProjectTerms | null> {
  const { rows } = await client.query<ProjectTerms>(
    `select ${fields} from account.project where ${by} = $1 for update`,
    [value],
  )
  return rows[0] ?? null
}

async function capsOf(client: PoolClient, prefix: string): Promise<Caps> {
  const { rows } = await client.query<{ caps: Caps | null }>(
    'select caps from account.key where prefix = $1',
    [prefix],
  )
  return rows[0]?.caps ?? {}
}
