/**
 * Redis, which holds nothing that must be true: a question is answered soon or not at all, and its absence
 * is told once, when it begins, and once more when it has ended.
 */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'

const options = {
  enableOfflineQueue: false,
  commandTimeout: 250,
  connectTimeout: 2_000,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  retryStrategy: (attempt: number) => Math.min(attempt * 100, 2_000),
}

type Told = { away: (error: unknown) => void; back: () => void }

/** A start waits so long for Redis, for what it remembers spares fetches. */
const patienceMs = 1_000

/** Connects, and again after every break. Commands fail at once while it is away; it may be so from the start. */
export async function openRedis(url: string, { away, back }: Told): Promise<Redis & Disposable> {
  const redis = new Redis(url, options)
  let isAway = false
  redis.on('error', error => {
    if (!isAway) away(error)
    isAway = true
  })
  redis.on('ready', () => {
    if (isAway) back()
    isAway = false
  })
  await Promise.race([once(redis, 'ready'), sleep(patienceMs)]).catch(() => {})
  return Object.assign(redis, { [Symbol.dispose]: () => redis.disconnect() })
}
