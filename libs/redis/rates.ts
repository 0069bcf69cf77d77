/**
 * Limits rates by token buckets that refill steadily. They are in Redis, so that all processes share them. While
 * Redis is unavailable, each process uses its own buckets. Together the processes then allow a multiple of the limit,
 * and no request fails.
 *
 * The buckets use the generic cell rate algorithm (ITU-T I.371): one number per bucket, the time at which it is full.
 */
import type { Redis } from 'ioredis'

export type Rate = {
  /** Tokens that are refilled per second. */
  perSecond: number
  /** Tokens of a full bucket. */
  burst: number
}

export type RateResult = {
  allowed: boolean
  /** Whole tokens that are left. */
  remaining: number
  /** Milliseconds until the bucket is full again. */
  fullInMs: number
  /** Milliseconds until this request would be allowed; 0: it is allowed. */
  waitMs: number
}

/**
 * Takes tokens from the bucket of this name if it has enough.
 * @param tokens the price in tokens; may be a fraction
 */
export type TakeTokens = (name: string, rate: Rate, tokens: number) => Promise<RateResult>

/**
 * Computes one request, and returns its result and the new state of the bucket. The state `fullAt` is the time at
 * which the bucket is full. Times are in milliseconds.
 */
export function take(fullAt: number, now: number, { perSecond, burst }: Rate, tokens: number) {
  const msPerToken = 1000 / perSecond
  const wanted = Math.max(fullAt, now) + tokens * msPerToken
  const waitMs = Math.max(0, wanted - burst * msPerToken - now)
  const allowed = waitMs <= tolerance
  const after = allowed ? wanted : Math.max(fullAt, now)
  const result: RateResult = {
    allowed,
    remaining: Math.max(0, Math.floor((burst * msPerToken - (after - now)) / msPerToken + tolerance)),
    fullInMs: Math.max(0, after - now),
    waitMs: allowed ? 0 : waitMs,
  }
  return { fullAt: after, result }
}

/** Tolerated error of sums of fractions. */
const tolerance = 1e-6

/** Does the same as `take` with the clock of Redis. Returns the previous `fullAt` and the time of Redis. */
const script = `
  local time = redis.call('time')
  local now = time[1] * 1000 + time[2] / 1000
  local full = tonumber(redis.call('get', KEYS[1]) or '0')
  local wanted = math.max(full, now) + tonumber(ARGV[1])
  if wanted - tonumber(ARGV[2]) - now <= 1e-6 then
    redis.call('set', KEYS[1], string.format('%.3f', wanted), 'px', math.ceil(wanted - now) + 1000)
  end
  return { string.format('%.3f', full), string.format('%.3f', now) }`

type Scripted = Redis & { takeTokens(key: string, cost: number, capacity: number): Promise<[string, string]> }

/**
 * Returns rate limits that are shared in this Redis.
 * @param now milliseconds of a monotonic clock, for the process's own buckets
 */
export function ratesIn(redis: Redis, now: () => number = () => performance.now()): TakeTokens {
  redis.defineCommand('takeTokens', { numberOfKeys: 1, lua: script })
  const own = ownBuckets(now)
  return async (name, rate, tokens) => {
    const msPerToken = 1000 / rate.perSecond
    try {
      const reply = await (redis as Scripted).takeTokens(
        `rate:${name}`,
        tokens * msPerToken,
        rate.burst * msPerToken,
      )
      return take(Number(reply[0]), Number(reply[1]), rate, tokens).result
    } catch {
      return own(name, rate, tokens)
    }
  }
}

const maxBuckets = 10_000

/** Returns buckets of this process alone. The least recently used ones are evicted. */
export function ownBuckets(now: () => number): TakeTokens {
  const buckets = new Map<string, number>()
  return async (name, rate, tokens) => {
    const { fullAt, result } = take(buckets.get(name) ?? 0, now(), rate, tokens)
    buckets.delete(name)
    buckets.set(name, fullAt)
    const [oldest] = buckets.keys()
    if (buckets.size > maxBuckets && oldest !== undefined) buckets.delete(oldest)
    return result
  }
}
