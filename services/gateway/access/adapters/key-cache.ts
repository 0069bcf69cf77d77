/**
 * Caches keys for a few seconds. Valid and invalid keys are cached separately, and look-ups of new keys are limited by
 * address. So a client that guesses keys neither evicts the keys of customers nor makes customers wait.
 */
import type { KeyView } from '@tidemark/contracts/rpc/accounts'
import { isValidAt } from '../domain/key.ts'
import { fairLookUps } from './fair-look-ups.ts'
import type { FindKey } from './keys.ts'

const cacheMs = 3_000
/** Milliseconds for which an unknown key is cached. It is shorter, because the key may be created at any moment. */
const cacheUnknownMs = 1_000
const maxCached = 10_000

type CachedKey = { key: Promise<KeyView | null>; until: number }

/** Returns the key for a client at this address, or null. */
export type FindKeyFor = (prefix: string, clientIp: string) => Promise<KeyView | null>

/**
 * Returns a cached look-up. Concurrent look-ups of a prefix share one request. Throws `ApiProblem`
 * (`too_many_requests`, `unavailable`) if one address sends too many invalid keys. Call `forget` when keys have changed
 * or a notification may have been missed. Known keys are then looked up again without waiting for a slot.
 */
export function cacheKeys(find: FindKey, now: () => number = () => performance.now()) {
  const known = new Map<string, CachedKey>()
  const unknown = new Map<string, CachedKey>()
  let changes = 0
  const fairLookUp = fairLookUps(now)

  function lookUp(prefix: string, clientIp: string, before: CachedKey | undefined): Promise<KeyView | null> {
    const found = before ? find(prefix) : fairLookUp(clientIp, () => find(prefix), isValid)
    const entry = { key: found, until: now() + cacheMs }
    // Cached while it is pending, so that a known key stays known: the limit of unknown keys must not apply to it.
    keep(before ? known : unknown, prefix, entry)
    const asOf = changes
    entry.key.then(
      key => {
        const [cache, other] = isValid(key) ? [known, unknown] : [unknown, known]
        if (!isValid(key)) entry.until = Math.min(entry.until, now() + cacheUnknownMs)
        if (asOf !== changes) entry.until = 0
        other.delete(prefix)
        keep(cache, prefix, entry)
      },
      () => {
        if (before) keep(known, prefix, { ...before, until: 0 })
        else unknown.delete(prefix)
      },
    )
    return entry.key
  }

  const findKey: FindKeyFor = (prefix, clientIp) => {
    const before = known.get(prefix)
    const last = before ?? unknown.get(prefix)
    return last !== undefined && last.until > now() ? last.key : lookUp(prefix, clientIp, before)
  }

  function forget(): void {
    changes++
    for (const entry of known.values()) entry.until = 0
    unknown.clear()
  }
  return { findKey, forget }
}

/** Returns whether the key is valid. Revoked and expired keys are found too. */
const isValid = (key: KeyView | null): boolean => key !== null && isValidAt(key, Date.now())

/** Adds an entry as the newest, and drops the oldest one if there are too many. */
function keep(cached: Map<string, CachedKey>, prefix: string, entry: CachedKey): void {
  cached.delete(prefix)
  const [oldest] = cached.keys()
  if (cached.size >= maxCached && oldest !== undefined) cached.delete(oldest)
  cached.set(prefix, entry)
}
