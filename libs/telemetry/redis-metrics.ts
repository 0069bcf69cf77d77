/** Whether a service has to do without Redis: all goes on, and no request fails, so nothing else would say it. */
import { gauge } from './metrics.ts'

/** Until it is disposed of. */
export const measureRedis = (service: string, redis: { warn(): string | null }): Disposable =>
  gauge('tidemark.redis.away', tell => tell(redis.warn() === null ? 0 : 1, { service }))
