/**
 * The host clock that all fetchers share, in Redis: the same rule as `slotOf`, taken and answered in one
 * script by the server's own time. A slot is taken when it is used and never beforehand, so a fetcher that
 * dies has promised nothing.
 */
import type { Redis } from 'ioredis'

export type SharedClock = {
  /** 0 when the slot is taken now, else the milliseconds until it is worth asking again. Throws when Redis is away. */
  take(host: string, runId: number, delayMs: number): Promise<number>
  /** The slot that was taken begins only now. Throws when Redis is away. */
  moved(host: string, runId: number, delayMs: number): Promise<void>
  /** Nobody asks the host for this long. Throws when Redis is away. */
  backOff(host: string, ms: number): Promise<void>
}

/** Everything is counted by the server's own clock, in milliseconds with a fraction. */
const now = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + time[2] / 1000`

/** The fields of a host: `last` and `gap` of its last slot, `until` of its back-off; a run's last slot by itself. */
const begin = `
  local at = string.format('%.3f', now)
  redis.call('HSET', KEYS[1], 'last', at, 'gap', ARGV[1])
  redis.call('PEXPIRE', KEYS[1], math.max(ARGV[1], redis.call('PTTL', KEYS[1])))
  redis.call('SET', KEYS[2], at, 'PX', ARGV[1])`

const takeSlot = `${now}
  local delay = tonumber(ARGV[1])
  local host = redis.call('HMGET', KEYS[1], 'last', 'gap', 'until')
  local own = redis.call('GET', KEYS[2])
  local slot = tonumber(host[3] or 0)
  if own then slot = math.max(slot, tonumber(own) + delay) end
  if host[1] then slot = math.max(slot, tonumber(host[1]) + math.min(tonumber(host[2]), delay)) end
  if slot > now then return math.ceil(slot - now) end
  ${begin}
  return 0`

const moveSlot = now + begin

const setBackOff = `${now}
  local till = now + ARGV[1]
  local known = tonumber(redis.call('HGET', KEYS[1], 'until') or 0)
  if till > known then redis.call('HSET', KEYS[1], 'until', string.format('%.3f', till)) end
  redis.call('PEXPIRE', KEYS[1], math.max(ARGV[1], redis.call('PTTL', KEYS[1])))`

type Scripted = Redis & {
  takeSlot(host: string, own: string, delayMs: number): Promise<number>
  moveSlot(host: string, own: string, delayMs: number): Promise<null>
  setBackOff(host: string, ms: number): Promise<null>
}

/** Delays are whole milliseconds above 0: without one there is no slot to take. */
export function createSharedClock(redis: Redis): SharedClock {
  redis.defineCommand('takeSlot', { numberOfKeys: 2, lua: takeSlot })
  redis.defineCommand('moveSlot', { numberOfKeys: 2, lua: moveSlot })
  redis.defineCommand('setBackOff', { numberOfKeys: 1, lua: setBackOff })
  const scripted = redis as Scripted
  return {
    take: (host, runId, delayMs) => scripted.takeSlot(hostKey(host), ownKey(host, runId), delayMs),
    moved: async (host, runId, delayMs) =>
      void (await scripted.moveSlot(hostKey(host), ownKey(host, runId), delayMs)),
    backOff: async (host, ms) => void (await scripted.setBackOff(hostKey(host), Math.max(1, Math.ceil(ms)))),
  }
}

/** The braces keep both keys of a host in one slot of a cluster. */
const hostKey = (host: string): string => `clock:{${host}}`
const ownKey = (host: string, runId: number): string => `${hostKey(host)}:${runId}`
