/**
 * On which terms projects are served, in Postgres, where it is decided: of changes that come at once each sees what
 * the one before has made of it.
 */
import type { AccountEvent } from '@tidemark/contracts/account'
import { type Caps, limitsOf, type PageLimits } from '@tidemark/contracts/limits'
import type { CloudMode, Tier } from '@tidemark/contracts/primitives'
import type { ReadTermsAnswer } from '@tidemark/contracts/rpc/accounts'
import type { OwnProxy } from '@tidemark/contracts/run-settings'
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import type { KeyTerms, ProjectTerms } from '../domain/terms.ts'
import { record, type Told } from './write-event.ts'

/** `outboxId` is null where nothing changed. */
type Changed<Now> = { outboxId: number | null; now: Now }

export type TermsOfAccounts = {
  read(projectId: number): Promise<ReadTermsAnswer['terms']>
  /** Writes what `decide` says of the project, all or nothing; how it is then. Null where there is no such project. */
  changeProject(
    name: string,
    told: Told,
    decide: (project: ProjectTerms) => AccountEvent[],
  ): Promise<Changed<ProjectTerms> | null>
  /** Likewise of a key; what it may spend then. */
  changeKey(
    prefix: string,
    told: Told,
    decide: (key: KeyTerms) => AccountEvent[],
  ): Promise<Changed<{ projectId: number; limits: PageLimits }> | null>
}

export function termsOfAccounts({ pool, transaction }: Database): TermsOfAccounts {
  return {
    async read(projectId) {
      const { rows } = await pool.query<Row>({ name: 'terms', text: oneProject, values: [projectId] })
      const [row] = rows
      return row ? { tier: row.tier, unlimited: row.unlimited, caps: row.caps ?? {} } : null
    },

    changeProject: (name, told, decide) =>
      transaction(async client => {
        const before = await lockProject(client, 'name', name)
        if (before === null) return null
        const events = decide(before)
        const outboxId = events.length > 0 ? await record(client, before.projectId, told, events) : null
        return { outboxId, now: (await lockProject(client, 'name', name)) ?? before }
      }),

    changeKey: (prefix, told, decide) =>
      transaction(async client => {
        const { rows } = await client.query<{ project_id: number }>(keyOf, [prefix])
        const projectId = rows[0]?.project_id
        const project = projectId === undefined ? null : await lockProject(client, 'id', projectId)
        if (project === null) return null
        const key = { projectId: project.projectId, prefix }
        const events = decide({ ...key, caps: await capsOf(client, prefix) })
        const outboxId = events.length > 0 ? await record(client, key.projectId, told, events) : null
        const limits = limitsOf({ ...project, keyCaps: await capsOf(client, prefix) })
        return { outboxId, now: { projectId: key.projectId, limits } }
      }),
  }
}

type Row = {
  id: number
  tier: Tier
  unlimited: boolean
  caps: Caps | null
  cloud_mode: CloudMode | null
  proxy: OwnProxy | null
}

const fields = 'id, tier, unlimited, caps, cloud_mode, proxy'
const oneProject = `select ${fields} from account.project where id = $1`
const keyOf = 'select project_id from account.key where prefix = $1'

/** The project is locked before its keys, as by whoever else changes keys. */
async function lockProject(
  client: PoolClient,
  by: 'name' | 'id',
  value: string | number,
): Promise<ProjectTerms | null> {
  const { rows } = await client.query<Row>(
    `select ${fields} from account.project where ${by} = $1 for update`,
    [value],
  )
  if (!rows[0]) return null
  const { id, caps, cloud_mode, ...same } = rows[0]
  return { projectId: id, caps: caps ?? {}, cloudMode: cloud_mode, ...same }
}

async function capsOf(client: PoolClient, prefix: string): Promise<Caps> {
  const { rows } = await client.query<{ caps: Caps | null }>(
    'select caps from account.key where prefix = $1',
    [prefix],
  )
  return rows[0]?.caps ?? {}
}
