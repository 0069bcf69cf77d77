/**
 * Records in Redis, for an hour, which orders of a message have a published outcome. A redelivered message does not
 * fetch these orders again. A lost record only costs another fetch.
 */
import type { Redis } from 'ioredis'

/** One order: the name of its message and its index in it. */
export type OrderRef = { message: string; index: number }

export type PublishedOrders = {
  /** Records these orders in one command, without waiting for it. */
  record(refs: readonly OrderRef[]): void
  /** Returns the indexes of the orders whose outcome is published; none while Redis is away. */
  of(message: string): Promise<Set<number>>
}

const hourMs = 3_600_000

const recordAll = `
  for n, key in ipairs(KEYS) do
    redis.call('SADD', key, ARGV[n])
    redis.call('PEXPIRE', key, ${hourMs})
  end`

type Scripted = Redis & { rememberPublished(...keysThenIndexes: (string | number)[]): Promise<null> }

export function createPublishedOrders(redis: Redis): PublishedOrders {
  redis.defineCommand('rememberPublished', { lua: recordAll })
  const scripted = redis as Scripted
  return {
    record(refs) {
      const keys = refs.map(({ message }) => keyOf(message))
      const indexes = refs.map(({ index }) => index)
      scripted.rememberPublished(keys.length, ...keys, ...indexes).catch(() => {})
    },
    async of(message) {
      const indexes = await redis.smembers(keyOf(message)).catch(() => [])
      return new Set(indexes.map(Number))
    },
  }
}

const keyOf = (message: string): string => `published:${message}`
