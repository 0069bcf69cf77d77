/** Rules for changes of a project's keys: the key of the request must be valid, and one valid key must always remain. */
import type { AccountEvent, SharesEnded } from '@tidemark/contracts/account'
import { type Caps, capNames, isNarrowed } from '@tidemark/contracts/limits'
import type { Timestamp } from '@tidemark/contracts/primitives'
import type { StoredKey } from './key.ts'

/** All keys of one project, with revoked and expired ones, and the shares that ended before their time. */
export type KeyRing = { projectId: number; keys: readonly HeldKey[]; sharesEnded: SharesEnded }
export type HeldKey = {
  prefix: string
  /** Caps of the key itself, which narrow those of the project. */
  caps: Caps
  expiresAt: Timestamp | null
  revokedAt: Timestamp | null
}

/** `by` is the prefix of the key of the request; `at` is the time of the decision, not of the request. */
type KeyRequest = { by: string; at: Timestamp }

export type RotateKey = KeyRequest & { key: StoredKey; graceSeconds: number }
/** `by` null: an operator's command, which has no key. */
export type RevokeKey = { prefix: string; by: string | null; at: Timestamp }

/** Maximum number of valid keys. Without it, a client that rotates in a loop would fill the tables. */
export const maxActive = 100

/** Returns whether the key is valid at this moment. At the moment of its end a key is no longer valid. */
export const isActive = ({ expiresAt, revokedAt }: HeldKey, at: Timestamp): boolean =>
  revokedAt === null && (expiresAt === null || expiresAt > at)

/**
 * Returns whether the project may have another key with such caps. Narrowed keys are counted separately, so that they
 * cannot use up the project's keys.
 */
export const canAddKey = (caps: Caps, { keys }: KeyRing, at: Timestamp): boolean =>
  keys.filter(held => isActive(held, at) && isNarrowed(held.caps) === isNarrowed(caps)).length < maxActive

/**
 * Creates a key without an end, with the caps of the key of the request. The current keys end after the grace period, or
 * at their own end if that is earlier. A narrowed key ends only itself.
 */
export function rotate(ring: KeyRing, { key, graceSeconds, by, at }: RotateKey) {
  const { projectId } = ring
  const active = ring.keys.filter(held => isActive(held, at))
  const caller = active.find(({ prefix }) => prefix === by)
  if (caller === undefined) return 'unauthorized'
  const { caps } = caller
  if (!canAddKey(caps, ring, at)) return 'too_many'
  const expiresAt = new Date(Date.parse(at) + graceSeconds * 1000).toISOString()
  const ending = isNarrowed(caps) ? [caller] : active
  const prefixes = ending.filter(held => held.expiresAt === null || held.expiresAt > expiresAt)
  const events: AccountEvent[] = [
    { type: 'KeyCreated', data: { projectId, ...key, createdAt: at, expiresAt: null } },
  ]
  if (capNames.some(name => caps[name] !== undefined))
    events.push({ type: 'KeyCapsSet', data: { projectId, prefix: key.prefix, caps } })
  if (prefixes.length > 0) {
    const superseded = { projectId, prefixes: prefixes.map(({ prefix }) => prefix), expiresAt }
    events.push({ type: 'KeysSuperseded', data: superseded })
  }
  return events
}

/**
 * Revokes a key, unless it is revoked already. The last valid key stays (specification, Authentication 4); a key in its
 * grace period is valid. A narrowed key revokes only itself, and an operator's command any key.
 */
export function revoke({ projectId, keys }: KeyRing, { prefix, by, at }: RevokeKey) {
  const caller = keys.find(held => held.prefix === by && isActive(held, at))
  if (caller === undefined && by !== null) return 'unauthorized'
  const revoked = keys.find(key => key.prefix === prefix)
  if (revoked === undefined) return 'missing'
  if (caller !== undefined && isNarrowed(caller.caps) && revoked !== caller) return 'narrowed'
  if (revoked.revokedAt !== null) return []
  const isOtherValid = keys.some(key => key !== revoked && isActive(key, at))
  if (!isOtherValid && isActive(revoked, at)) return 'last'
  const events: AccountEvent[] = [{ type: 'KeyRevoked', data: { projectId, prefix, revokedAt: at } }]
  return events
}

/** Stores or withdraws (`host` null) the consent that a language model receives pages of the project. */
export function consent(ring: KeyRing, { host, by, at }: KeyRequest & { host: string | null }) {
  const caller = ring.keys.find(held => held.prefix === by && isActive(held, at))
  if (caller === undefined) return 'unauthorized'
  if (isNarrowed(caller.caps)) return 'narrowed'
  const event: AccountEvent = {
    type: 'ProjectModelConsentSet',
    data: { projectId: ring.projectId, host, by, at },
  }
  return [event]
}
