/**
 * Implements the host clock that all fetchers share in Redis: the rule of `earliestRequestAt`, evaluated in one script
 * by the server's own time. A slot is taken when it is used and never reserved, so a fetcher that dies blocks nothing.
 */
import type { Redis } from 'ioredis'
import { type BackOff, backOffName, ownBackOff } from '../domain/back-off.ts'
import { gapOf, type HostRequest } from './local-clock.ts'

export type SharedClock = {
  /**
   * Takes the slot and returns 0 if it is free now, otherwise returns milliseconds until the next try. Throws while
   * Redis is away.
   */
  take(request: HostRequest): Promise<number>
  /** Moves the start of the slot that was taken to now. Throws while Redis is away. */
  moved(request: HostRequest): Promise<void>
  /** Blocks the host for this time in milliseconds. Throws while Redis is away. */
  backOff(target: BackOff, ms: number): Promise<void>
}

/** All times are by the server's clock, in milliseconds with a fraction. */
const now = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + time[2] / 1000`

/**
 * Stores `last` and `gap` of a host's last slot in a hash. Stores the last slot of each run with a delay in a separate
 * key.
 */
const begin = `
  local at = string.format('%.3f', now)
  redis.call('HSET', KEYS[1], 'last', at, 'gap', gap)
  redis.call('PEXPIRE', KEYS[1], gap)
  if tonumber(ARGV[1]) > 0 then redis.call('SET', KEYS[2], at, 'PX', ARGV[1]) end`

/**
 * Takes a slot. A back-off is a key that expires when the back-off ends: one key for all runs, and one for each run.
 */
const takeSlot = `${now}
  local held = math.max(redis.call('PTTL', KEYS[3]), redis.call('PTTL', KEYS[4]))
  if held > 0 then return held end
  local delay = tonumber(ARGV[1])
  local host = redis.call('HMGET', KEYS[1], 'last', 'gap')
  local own = redis.call('GET', KEYS[2])
  local slot = 0
  if own then slot = math.max(slot, tonumber(own) + delay) end
  if host[1] then slot = math.max(slot, tonumber(host[1]) + math.min(tonumber(host[2]), delay)) end
  if slot > now then return math.ceil(slot - now) end
  local gap = ARGV[2]
  ${begin}
  return 0`

/**
 * Moves the start of a slot to now. While the connection of this request was opening, another run with a longer delay
 * may have taken a slot. The pause of that run does not become shorter.
 */
const moveSlot = `${now}
  local gap = math.max(tonumber(ARGV[2]), tonumber(redis.call('HGET', KEYS[1], 'gap') or 0))
  ${begin}`

const setBackOff = `
  if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], 1, 'PX', ARGV[1]) end`

type Scripted = Redis & {
  takeSlot(
    host: string,
    own: string,
    all: string,
    ofRun: string,
    delayMs: number,
    gapMs: number,
  ): Promise<number>
  moveSlot(host: string, own: string, delayMs: number, gapMs: number): Promise<null>
  setBackOff(key: string, ms: number): Promise<null>
}

/**
 * Returns the shared clock. Delays are whole milliseconds. A request whose delay and gap are both 0 delays no other
 * request, so it needs no slot and must not be passed.
 */
export function createSharedClock(redis: Redis): SharedClock {
  redis.defineCommand('takeSlot', { numberOfKeys: 4, lua: takeSlot })
  redis.defineCommand('moveSlot', { numberOfKeys: 2, lua: moveSlot })
  redis.defineCommand('setBackOff', { numberOfKeys: 1, lua: setBackOff })
  const scripted = redis as Scripted
  return {
    take: request =>
      scripted.takeSlot(
        hostKey(request.host),
        ownKey(request),
        backOffKey({ ...request, runId: null }),
        backOffKey(ownBackOff(request)),
        request.delayMs,
        gapOf(request),
      ),
    moved: async request =>
      void (await scripted.moveSlot(hostKey(request.host), ownKey(request), request.delayMs, gapOf(request))),
    backOff: async (target, ms) =>
      void (await scripted.setBackOff(backOffKey(target), Math.max(1, Math.ceil(ms)))),
  }
}

/** Returns the key of a host. Its braces keep all keys of the host in one slot of a cluster. */
const hostKey = (host: string): string => `clock:{${host}}`
const ownKey = ({ host, runId }: HostRequest): string => `${hostKey(host)}:${runId}`
const backOffKey = (target: BackOff): string => `${hostKey(target.host)}:until:${backOffName(target)}`
