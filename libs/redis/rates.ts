/**
 * How often somebody may do something: a bucket of turns that fills steadily, kept in Redis so that all processes
 * share it. While Redis is away each process goes by a bucket of its own: kinder than it should be by as many
 * processes as there are, and never closed.
 *
 * The generic cell rate algorithm (ITU-T I.371): one number a bucket, the time at which it is full again.
 */
import type { Redis } from 'ioredis'

export type Rate = {
  /** Turns a second that come back. */
  perSecond: number
  /** Turns that a full bucket holds. */
  burst: number
}

export type Turn = {
  allowed: boolean
  /** Whole turns that are left. */
  remaining: number
  /** Milliseconds until the bucket is full again. */
  fullInMs: number
  /** Milliseconds until this turn would be allowed; 0 when it was. */
  waitMs: number
}

/** @param turns What it costs, in turns; may be a fraction. */
export type TakeTurn = (name: string, rate: Rate, turns: number) => Promise<Turn>

/** What the algorithm knows: when the bucket is full, before and after; times in milliseconds. */
export function take(fullAt: number, now: number, { perSecond, burst }: Rate, turns: number) {
  const msATurn = 1000 / perSecond
  const wanted = Math.max(fullAt, now) + turns * msATurn
  const waitMs = Math.max(0, wanted - burst * msATurn - now)
  const allowed = waitMs <= tolerance
  const after = allowed ? wanted : Math.max(fullAt, now)
  const turn: Turn = {
    allowed,
    remaining: Math.max(0, Math.floor((burst * msATurn - (after - now)) / msATurn + tolerance)),
    fullInMs: Math.max(0, after - now),
    waitMs: allowed ? 0 : waitMs,
  }
  return { fullAt: after, turn }
}

/** Sums of fractions are not exact. */
const tolerance = 1e-6

/** The same, told by the clock of Redis: what it answers is `fullAt` as it was, and that time. */
const script = `
  local time = redis.call('time')
  local now = time[1] * 1000 + time[2] / 1000
  local full = tonumber(redis.call('get', KEYS[1]) or '0')
  local wanted = math.max(full, now) + tonumber(ARGV[1])
  if wanted - tonumber(ARGV[2]) - now <= 1e-6 then
    redis.call('set', KEYS[1], string.format('%.3f', wanted), 'px', math.ceil(wanted - now) + 1000)
  end
  return { string.format('%.3f', full), string.format('%.3f', now) }`

type Scripted = Redis & { takeTurn(key: string, cost: number, room: number): Promise<[string, string]> }

/** @param now Milliseconds of a clock that never goes back. */
export function ratesIn(redis: Redis, now: () => number = () => performance.now()): TakeTurn {
  redis.defineCommand('takeTurn', { numberOfKeys: 1, lua: script })
  const own = ownBuckets(now)
  return async (name, rate, turns) => {
    const msATurn = 1000 / rate.perSecond
    try {
      const told = await (redis as Scripted).takeTurn(`rate:${name}`, turns * msATurn, rate.burst * msATurn)
      return take(Number(told[0]), Number(told[1]), rate, turns).turn
    } catch {
      return own(name, rate, turns)
    }
  }
}

const maxBuckets = 10_000

/** Buckets of this process alone; those that nobody asked for the longest are forgotten. */
export function ownBuckets(now: () => number): TakeTurn {
  const buckets = new Map<string, number>()
  return async (name, rate, turns) => {
    const { fullAt, turn } = take(buckets.get(name) ?? 0, now(), rate, turns)
    buckets.delete(name)
    buckets.set(name, fullAt)
    const [oldest] = buckets.keys()
    if (buckets.size > maxBuckets && oldest !== undefined) buckets.delete(oldest)
    return turn
  }
}
