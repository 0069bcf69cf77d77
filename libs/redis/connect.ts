/**
 * Connects to Redis, which stores only data that may be lost: caches and rate limits. A command fails soon instead of
 * waiting. An outage is reported once when it begins and once when it ends. A hanging server counts as unavailable.
 */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { causes, named } from '@tidemark/contracts/health'
import { Redis } from 'ioredis'

const options = {
  enableOfflineQueue: false,
  commandTimeout: 250,
  connectTimeout: 2_000,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  retryStrategy: (attempt: number) => Math.min(attempt * 100, 2_000),
}

type Outages = {
  away: (error: unknown) => void
  back: () => void
  /** Whether this process was blocked recently, so that a late response is not a fault of Redis. */
  isHeldUp?: () => boolean
}

export type Watched = {
  /** Returns a problem that needs attention although the service works; null: Redis responds. */
  warn(): string | null
}

/** Maximum milliseconds to wait for Redis at the start, because its caches save fetches. */
const patienceMs = 1_000
/** Milliseconds between pings, which detect a hanging server. It does not close the connection. */
const pingIntervalMs = 1_000
/** Milliseconds of silence after which Redis is unavailable. A late response or a restart of the server takes less. */
const silentMs = 3_000

/** Connects, and reconnects after every break. Commands fail at once during an outage, even one at the start. */
export async function openRedis(
  url: string,
  { away, back, isHeldUp = () => false }: Outages,
): Promise<Redis & Disposable & Watched> {
  const redis = new Redis(url, options)
  let isReported = false
  let silentSince: number | null = null
  const silence = () => (silentSince === null ? 0 : performance.now() - silentSince)
  const lost = (error: unknown) => {
    if (isHeldUp() && isTimeout(error)) return
    silentSince ??= performance.now()
    if (!isReported) away(error)
    isReported = true
  }
  const found = () => {
    silentSince = null
    if (isReported) back()
    isReported = false
  }
  const unanswered = (error: unknown) => {
    if (isHeldUp()) return
    silentSince ??= performance.now()
    if (silence() >= silentMs) lost(error)
  }
  redis.on('error', lost)
  redis.on('ready', found)
  const looking = setInterval(() => void redis.ping().then(found, unanswered), pingIntervalMs).unref()
  await Promise.race([once(redis, 'ready'), sleep(patienceMs)]).catch(() => {})
  return Object.assign(redis, {
    warn: () => (isReported && silence() >= silentMs ? named('redis_away', causes.redis_away) : null),
    [Symbol.dispose]() {
      clearInterval(looking)
      redis.disconnect()
    },
  })
}

/** Returns whether the error is a timeout on our side. */
const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (Reflect.get(error, 'code') === 'ETIMEDOUT' || /timed out/i.test(error.message))
