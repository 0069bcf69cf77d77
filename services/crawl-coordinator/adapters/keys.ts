/** Deletes expired idempotency keys. They are valid for a day. */
import type { Pool } from 'pg'

export type Keys = { trim(): Promise<void> }

const atOnce = 5_000

export const keys = (pool: Pick<Pool, 'query'>): Keys => ({
  async trim() {
    let deleted: number | null
    do {
      const trimmed = await pool.query(
        `delete from coordinator.idempotency_key where ctid = any(array(
           select ctid from coordinator.idempotency_key where created_at < now() - interval '25 hours' limit $1
         ))`,
        [atOnce],
      )
      deleted = trimmed.rowCount
    } while (deleted === atOnce)
  },
})
