/** Measures whether a service works without Redis. Its requests succeed anyway, so no other metric shows it. */
import { gauge } from './metrics.ts'

/** Measures until the result is disposed. */
export const measureRedis = (service: string, redis: { warn(): string | null }): Disposable =>
  gauge('tidemark.redis.away', report => report(redis.warn() === null ? 0 : 1, { service }))
