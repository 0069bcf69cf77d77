/** A scheduler whose clock is a row of its database, which a test sets: minutes then pass as fast as they are worked off. */
import { runService } from '@tidemark/config/process'
import type { Clock } from './adapters/clock.ts'
import { startService, type Time } from './service.ts'

export const clockTable = 'public.stepped_clock'

export const stepped: Time = {
  everyMs: 10,
  clockOf:
    (pool): Clock =>
    async () => {
      const { rows } = await pool.query(`select ms from ${clockTable}`)
      return rows[0].ms
    },
}

if (import.meta.main) await runService((env, signal) => startService(env, signal, stepped))
