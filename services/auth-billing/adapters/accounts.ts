/** Stores projects and keys in Postgres. Of concurrent requests for one name exactly one succeeds. */
import type { AccountEvent } from '@tidemark/contracts/account'
import { type KeyRow, type KeyView, keyViewOf } from '@tidemark/contracts/rpc/accounts'
import type { Database } from '@tidemark/db/database'
import { type NamedProject, type NotFree, takeName } from './names.ts'
import { type CommitInfo, record } from './write-event.ts'

export type NewProject = NamedProject & CommitInfo

export type Accounts = {
  /**
   * Takes the name and writes the events that `decide` returns for the id of the project, all or nothing. Returns the
   * id of the outbox row, or why the name is not free.
   */
  create(
    project: NewProject,
    decide: (projectId: number) => AccountEvent[],
  ): Promise<{ projectId: number; outboxId: number } | NotFree>
  findKey(prefix: string): Promise<KeyView | null>
}

export function accounts({ pool, transaction }: Database): Accounts {
  return {
    create: (project, decide) =>
      transaction(async client => {
        const projectId = await takeName(client, project)
        if (typeof projectId === 'string') return projectId
        return { projectId, outboxId: await record(client, projectId, project, decide(projectId)) }
      }),

    async findKey(prefix) {
      const { rows } = await pool.query<KeyRow>({ name: 'key', text: oneKey, values: [prefix] })
      return rows[0] ? keyViewOf(rows[0]) : null
    },
  }
}

/** A prepared statement, because every gateway requests each active key every few seconds. */
const oneKey = `select prefix, hash, project_id, tier, unlimited, expires_at, revoked_at, proxy, project.caps,
    key.caps as key_caps, cloud_mode, shares_ended
  from account.key join account.project on project.id = project_id where prefix = $1`
