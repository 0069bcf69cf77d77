/** What a service's connections to Postgres are doing: a pool that nobody gets anything from says so here first. */
import { gauge } from './metrics.ts'

/** As the pools of `pg` have it. */
export type Pool = { totalCount: number; idleCount: number; waitingCount: number }

/** Until it is disposed of. */
export const measurePool = (service: string, pool: Pool): Disposable =>
  gauge('tidemark.postgres.connections', tell => {
    const { totalCount, idleCount, waitingCount } = pool
    const states = { used: totalCount - idleCount, idle: idleCount, wanted: waitingCount }
    for (const [state, count] of Object.entries(states)) tell(count, { service, state })
  })
