/**
 * Lists the hosts that requested a pause, in Redis for all fetchers together, for the operator. A host stays for ten
 * minutes after its pause, and at most 1,000 are kept: those whose pause ends first are dropped. Only a pause writes
 * here, so a page costs nothing.
 */
import type { ThrottledHostsResponse } from '@tidemark/contracts/rpc/operator'
import type { Redis } from 'ioredis'
import type { BackOff } from '../domain/back-off.ts'

export type ThrottledHosts = {
  /** Records a pause of this number of milliseconds. Throws while Redis is away. */
  record(host: BackOff, ms: number): Promise<void>
  /** Returns the hosts, the latest end first. Throws while Redis is away. */
  read(limit: number): Promise<ThrottledHostsResponse>
}

const keptMs = 600_000
const maxKept = 1_000
const maxDropped = 100

const now = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)`

/** Stores the end of each host's pause in a sorted set, and the number of its pauses in a hash. */
const recordHost = `${now}
  redis.call('ZADD', KEYS[1], 'GT', now + ARGV[2], ARGV[1])
  redis.call('HINCRBY', KEYS[2], ARGV[1], 1)
  local over = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - ${keptMs}, 'LIMIT', 0, ${maxDropped})
  local many = redis.call('ZCARD', KEYS[1]) - #over - ${maxKept}
  if many > 0 then
    for _, host in ipairs(redis.call('ZRANGE', KEYS[1], #over, #over + many - 1)) do table.insert(over, host) end
  end
  for _, host in ipairs(over) do
    redis.call('ZREM', KEYS[1], host)
    redis.call('HDEL', KEYS[2], host)
  end
  for _, key in ipairs(KEYS) do
    if redis.call('PTTL', key) < ARGV[2] + ${keptMs} then redis.call('PEXPIRE', key, ARGV[2] + ${keptMs}) end
  end`

/** Returns the number of hosts, and then the name, the end and the number of pauses of each. */
const readHosts = `${now}
  local found = redis.call('ZREVRANGEBYSCORE', KEYS[1], '+inf', now - ${keptMs}, 'WITHSCORES', 'LIMIT', 0, ARGV[1])
  local reply = { redis.call('ZCOUNT', KEYS[1], now - ${keptMs}, '+inf') }
  for n = 1, #found, 2 do
    table.insert(reply, found[n])
    table.insert(reply, found[n + 1])
    table.insert(reply, redis.call('HGET', KEYS[2], found[n]) or '1')
  end
  return reply`

type Scripted = Redis & {
  recordThrottledHost(ends: string, counts: string, origin: string, ms: number): Promise<null>
  readThrottledHosts(ends: string, counts: string, limit: number): Promise<[number, ...string[]]>
}

/** The braces keep both keys in one slot of a cluster. */
const ends = 'pressed:{hosts}'
const counts = 'pressed:{hosts}:pauses'

export function openThrottledHosts(redis: Redis): ThrottledHosts {
  redis.defineCommand('recordThrottledHost', { numberOfKeys: 2, lua: recordHost })
  redis.defineCommand('readThrottledHosts', { numberOfKeys: 2, lua: readHosts })
  const scripted = redis as Scripted
  return {
    async record({ protocol, host }, ms) {
      await scripted.recordThrottledHost(ends, counts, `${protocol}//${host}`, Math.max(1, Math.ceil(ms)))
    },
    async read(limit) {
      const [total, ...fields] = await scripted.readThrottledHosts(ends, counts, limit)
      const hosts = Array.from({ length: fields.length / 3 }, (_, n) => {
        const [origin = '', until, pauses] = fields.slice(3 * n, 3 * n + 3)
        return { origin, pausedUntil: new Date(Number(until)).toISOString(), pauses: Number(pauses) }
      })
      return { total, hosts }
    },
  }
}
