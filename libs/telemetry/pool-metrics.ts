/** Measures a service's connections to Postgres. An exhausted pool is visible here first. */
import { gauge } from './metrics.ts'

/** The counters of a pool of `pg`. */
export type Pool = { totalCount: number; idleCount: number; waitingCount: number }

/** Reports the connections of the pool as a metric until the result is disposed. */
export const measurePool = (service: string, pool: Pool): Disposable =>
  gauge('tidemark.postgres.connections', report => {
    const { totalCount, idleCount, waitingCount } = pool
    const states = { used: totalCount - idleCount, idle: idleCount, wanted: waitingCount }
    for (const [state, count] of Object.entries(states)) report(count, { service, state })
  })
