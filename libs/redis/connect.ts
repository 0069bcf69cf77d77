/**
 * Redis, which holds nothing that must be true: a question is answered soon or not at all, and its absence
 * is told once, when it begins, and once more when it has ended. One that hangs is as absent as one that is gone.
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

type Told = {
  away: (error: unknown) => void
  back: () => void
  /** Whether this process was held up lately, so that what is late says nothing of Redis. */
  isHeldUp?: () => boolean
}

export type Watched = {
  /** Names what somebody should see to, though all goes on without Redis; null while it answers. */
  warn(): string | null
}

/** A start waits so long for Redis, for what it remembers spares fetches. */
const patienceMs = 1_000
/** Between two looks whether it answers at all: a server that hangs breaks no connection. */
const lookMs = 1_000
/** An answer may be late, and a server be started anew; whoever has been silent for so long is away. */
const silentMs = 3_000

/** Connects, and again after every break. Commands fail at once while it is away; it may be so from the start. */
export async function openRedis(
  url: string,
  { away, back, isHeldUp = () => false }: Told,
): Promise<Redis & Disposable & Watched> {
  const redis = new Redis(url, options)
  let isTold = false
  let silentSince: number | null = null
  const silence = () => (silentSince === null ? 0 : performance.now() - silentSince)
  const lost = (error: unknown) => {
    if (isHeldUp() && isButLate(error)) return
    silentSince ??= performance.now()
    if (!isTold) away(error)
    isTold = true
  }
  const found = () => {
    silentSince = null
    if (isTold) back()
    isTold = false
  }
  const unanswered = (error: unknown) => {
    if (isHeldUp()) return
    silentSince ??= performance.now()
    if (silence() >= silentMs) lost(error)
  }
  redis.on('error', lost)
  redis.on('ready', found)
  const looking = setInterval(() => void redis.ping().then(found, unanswered), lookMs).unref()
  await Promise.race([once(redis, 'ready'), sleep(patienceMs)]).catch(() => {})
  return Object.assign(redis, {
    warn: () => (isTold && silence() >= silentMs ? named('redis_away', causes.redis_away) : null),
    [Symbol.dispose]() {
      clearInterval(looking)
      redis.disconnect()
    },
  })
}

/** A clock of ours that ran out. */
const isButLate = (error: unknown): boolean =>
  error instanceof Error && (Reflect.get(error, 'code') === 'ETIMEDOUT' || /timed out/i.test(error.message))
