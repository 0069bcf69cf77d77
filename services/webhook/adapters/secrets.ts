/** A project's signing secret: 32 random bytes, made when it is first needed and kept sealed. */
import { randomBytes } from 'node:crypto'
import type { Sealer } from '@tidemark/secrets/seal'
import type { Pool } from 'pg'

const secretBytes = 32

const find = 'select sealed from webhook.secret where project_id = $1'

/** Whoever comes second takes what the first one made. */
const make = `
  with made as (
    insert into webhook.secret (project_id, sealed) values ($1, $2) on conflict do nothing returning sealed
  )
  select sealed from made union all select sealed from webhook.secret where project_id = $1`

/** In lower-case hex. Throws SecretUnreadable when it was sealed under another key. */
export const secretOf =
  (pool: Pool, { seal, open }: Sealer) =>
  async (projectId: number): Promise<string> => {
    const known = await pool.query<{ sealed: string }>(find, [projectId])
    if (known.rows[0]) return open(known.rows[0].sealed)
    const fresh = randomBytes(secretBytes).toString('hex')
    // A row that another one is inserting right now is seen by neither half of the statement, but by the next one.
    for (let left = 3; left > 0; left--) {
      const { rows } = await pool.query<{ sealed: string }>(make, [projectId, seal(fresh)])
      if (rows[0]) return open(rows[0].sealed)
    }
    throw new Error(`the secret of project ${projectId} could not be made`)
  }
