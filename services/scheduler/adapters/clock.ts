/** Reads the time of the database in ms since 1970: schedulers whose own clocks differ agree on due minutes. */
import type { Pool } from 'pg'

export type Clock = () => Promise<number>

export const databaseClock =
  (pool: Pool): Clock =>
  async () => {
    const { rows } = await pool.query(`select extract(epoch from clock_timestamp())::float8 * 1000 as now`)
    return Math.floor(rows[0].now)
  }
