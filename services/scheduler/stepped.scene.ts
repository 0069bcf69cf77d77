/**
 * A scheduler whose clock is a row of its database that a test sets, so that minutes pass as fast as they are handled.
 * The clock of its own process is wrong by SAY ms.
 */
import { runProcess } from '@tidemark/config/process'
import { createLog } from '@tidemark/telemetry/log'
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

function skewBy(ms: number): void {
  const right = Date.now
  globalThis.Date = class extends Date {
    constructor(...time: ConstructorParameters<typeof Date> | []) {
      super(...((time.length === 0 ? [right() + ms] : time) as ConstructorParameters<typeof Date>))
    }
    static override now = () => right() + ms
  } as DateConstructor
}

if (import.meta.main) {
  skewBy(Number(process.env.SAY ?? 0))
  await runProcess((env, signal) => startService(env, signal, stepped), createLog('scheduler'))
}
