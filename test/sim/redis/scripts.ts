/**
 * The commands and the Lua scripts of the fetcher as functions. `redis.test.ts` compares them with those that a real
 * server runs.
 */
import type { Keys } from './keys.ts'

type Run = (keys: Keys, names: readonly string[], values: readonly string[]) => unknown

/** Commands by name in lower case, as the client calls them. */
export const commands: Readonly<Record<string, (keys: Keys, ...args: string[]) => unknown>> = {
  smembers: (keys, key = '') => keys.smembers(key),
  hdel: (keys, key = '', field = '') => keys.hdel(key, field),
  del: (keys, key = '') => keys.del(key),
  set: (keys, key = '', value = '', unit = '', ms = '') => {
    if (unit !== 'PX') throw new RangeError(`SET has ${unit}, which is not simulated`)
    keys.set(key, value, Number(ms))
    return 'OK'
  },
}

const begin = (keys: Keys, host: string, own: string, delay: string, gap: number): void => {
  const at = keys.now.toFixed(3)
  keys.hset(host, { last: at, gap: String(gap) })
  keys.pexpire(host, gap)
  if (Number(delay) > 0) keys.set(own, at, Number(delay))
}

/** Scripts by the name under which an adapter defines them. */
export const scripts: Readonly<Record<string, Run>> = {
  takeSlot(keys, [host = '', own = '', all = '', ofRun = ''], [delayMs = '', gapMs = '']) {
    const held = Math.max(keys.pttl(all), keys.pttl(ofRun))
    if (held > 0) return held
    const delay = Number(delayMs)
    const [last, gap, ownLast] = [keys.hget(host, 'last'), keys.hget(host, 'gap'), keys.get(own)]
    let slot = 0
    if (ownLast !== null) slot = Math.max(slot, Number(ownLast) + delay)
    if (last !== null) slot = Math.max(slot, Number(last) + Math.min(Number(gap), delay))
    if (slot > keys.now) return Math.ceil(slot - keys.now)
    begin(keys, host, own, delayMs, Number(gapMs))
    return 0
  },

  moveSlot(keys, [host = '', own = ''], [delayMs = '', gapMs = '']) {
    begin(keys, host, own, delayMs, Math.max(Number(gapMs), Number(keys.hget(host, 'gap'))))
    return null
  },

  setBackOff(keys, [key = ''], [ms = '']) {
    if (keys.pttl(key) < Number(ms)) keys.set(key, '1', Number(ms))
    return null
  },

  rememberPublished(keys, names, indexes) {
    for (const [n, name] of names.entries()) {
      keys.sadd(name, indexes[n] ?? '')
      keys.pexpire(name, 3_600_000)
    }
    return null
  },

  takePart(keys, [key = ''], [me = '', concurrency = '', used = '']) {
    const now = Math.floor(keys.now)
    const names = [me]
    let others = 0
    for (const [name, field] of [...keys.hgetall(key)]) {
      const [held = 0, till = 0] = field.split(' ').map(Number)
      if (till < now) keys.hdel(key, name)
      else if (name !== me) {
        others += held
        names.push(name)
      }
    }
    names.sort()
    // Positions count from 1 in Lua.
    const place = names.indexOf(me) + 1
    const isFirst = (place + Math.floor(now / 3_000)) % names.length < Number(concurrency) % names.length
    const due = Math.floor(Number(concurrency) / names.length) + Number(isFirst)
    const part = Math.max(0, Math.min(due, Number(concurrency) - others))
    keys.hset(key, { [me]: `${Math.max(part, Number(used))} ${now + 5_000}` })
    keys.pexpire(key, 5_000)
    return part
  },

  recordThrottledHost(keys, [ends = '', counts = ''], [origin = '', ms = '']) {
    const now = Math.floor(keys.now)
    keys.zaddGreater(ends, now + Number(ms), origin)
    keys.hset(counts, { [origin]: String(Number(keys.hget(counts, origin)) + 1) })
    const all = keys.scores(ends)
    const over = all.filter(([, until]) => until <= now - keptMs).slice(0, 100)
    const many = all.length - over.length - 1_000
    if (many > 0) over.push(...all.slice(over.length, over.length + many))
    for (const [host] of over) {
      keys.zrem(ends, host)
      keys.hdel(counts, host)
    }
    for (const key of [ends, counts])
      if (keys.pttl(key) < Number(ms) + keptMs) keys.pexpire(key, Number(ms) + keptMs)
    return null
  },

  readThrottledHosts(keys, [ends = '', counts = ''], [limit = '']) {
    const now = Math.floor(keys.now)
    const found = keys.scores(ends).filter(([, until]) => until >= now - keptMs)
    const latest = found.toReversed().slice(0, Number(limit))
    return [
      found.length,
      ...latest.flatMap(([host, until]) => [host, String(until), keys.hget(counts, host) ?? '1']),
    ]
  },
}

/** Milliseconds for which a host stays in the list after its pause. */
const keptMs = 600_000
