/**
 * Splits the concurrency of one run among all fetchers that work on it. Redis stores how many permits each process
 * holds, and no process takes a permit that another process still holds. While Redis is away each process takes all
 * permits, which is less polite between processes but never slower. The share of a fetcher that dies is free after
 * `heldMs`.
 */
import type { Redis } from 'ioredis'

export type Share = Disposable & {
  /** Sets the run's latest concurrency. */
  resize(concurrency: number): void
}

export type RunShares = {
  /**
   * Joins the run until disposed. Calls back with the maximum number of concurrent requests of this process, soon
   * after the call and whenever it changes.
   * @param inFlight returns the current number
   */
  join(runId: number, concurrency: number, onPart: (permits: number) => void, inFlight: () => number): Share
}

type Member = {
  concurrency: number
  part: number
  isTaking: boolean
  onPart: (permits: number) => void
  inFlight: () => number
}

/** Milliseconds between two updates of the shares. A released share is noticed after this time at most. */
const everyMs = 250
const heldMs = 5_000
/** Milliseconds after which the permits that cannot be split evenly move to other processes. */
const slotMs = 3_000

/**
 * Computes and stores the share of this process. The sum of all shares is `concurrency`. They are equal except for the
 * remainder, which rotates, so that even one permit serves all processes. A share that has shrunk stays counted as long
 * as this process may still use it.
 */
const takePart = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local me, concurrency, used = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
  local names, others, fields = { me }, 0, redis.call('HGETALL', KEYS[1])
  for at = 1, #fields, 2 do
    local held, till = string.match(fields[at + 1], '^(%d+) (%d+)$')
    if tonumber(till) < now then redis.call('HDEL', KEYS[1], fields[at])
    elseif fields[at] ~= me then
      others = others + held
      names[#names + 1] = fields[at]
    end
  end
  table.sort(names)
  local place = 0
  for at, name in ipairs(names) do if name == me then place = at end end
  local left = concurrency % #names
  local isFirst = (place + math.floor(now / ${slotMs})) % #names < left
  local due = math.floor(concurrency / #names) + (isFirst and 1 or 0)
  local part = math.max(0, math.min(due, concurrency - others))
  redis.call('HSET', KEYS[1], me, string.format('%d %d', math.max(part, used), now + ${heldMs}))
  redis.call('PEXPIRE', KEYS[1], ${heldMs})
  return part`

type Scripted = Redis & {
  takePart(key: string, me: string, concurrency: number, used: number): Promise<number>
}

/**
 * Returns the shares of this process.
 * @param me unique name of this process
 */
export function createRunShares(redis: Redis, me: string): RunShares & Disposable {
  redis.defineCommand('takePart', { numberOfKeys: 1, lua: takePart })
  const scripted = redis as Scripted
  const members = new Map<number, Member>()
  const timer = setInterval(() => {
    for (const [runId, member] of members) void take(runId, member)
  }, everyMs).unref()

  /**
   * Updates the share of a member, one update at a time. Until Redis responds, requests may begin within the current
   * share. A share that shrinks is therefore released by another update.
   */
  async function take(runId: number, member: Member): Promise<void> {
    if (member.isTaking) return
    member.isTaking = true
    for (let isSettled = false; !isSettled; ) {
      const { concurrency, part: before, inFlight } = member
      const used = Math.max(before, inFlight())
      const part = await scripted.takePart(keyOf(runId), me, concurrency, used).catch(() => concurrency)
      if (members.get(runId) !== member) return
      isSettled = member.concurrency === concurrency && part >= before
      if (member.concurrency === concurrency) give(member, part)
    }
    member.isTaking = false
  }

  return {
    join(runId, concurrency, onPart, inFlight) {
      const member = { concurrency, part: 0, isTaking: false, onPart, inFlight }
      members.set(runId, member)
      void take(runId, member)
      return {
        resize(wanted) {
          member.concurrency = wanted
          void take(runId, member)
        },
        [Symbol.dispose]() {
          if (members.get(runId) !== member) return
          members.delete(runId)
          redis.hdel(keyOf(runId), me).catch(ignoreRedisError)
        },
      }
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

function give(member: Member, part: number): void {
  if (member.part === part) return
  member.part = part
  member.onPart(part)
}

const keyOf = (runId: number): string => `run-share:${runId}`

/** Ignores errors of Redis: the owner of the connection logs an outage once. */
const ignoreRedisError = () => {}
