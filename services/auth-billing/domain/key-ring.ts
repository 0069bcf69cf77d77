/** What may happen to the keys of a project: who asks must still be let in, and somebody must always be able to come in. */
import type { AccountEvent } from '@tidemark/contracts/account'
import { type Caps, capNames, isNarrowed } from '@tidemark/contracts/limits'
import type { Timestamp } from '@tidemark/contracts/primitives'

/** All keys of one project, dead ones too. */
export type KeyRing = { projectId: number; keys: readonly HeldKey[] }
export type HeldKey = {
  prefix: string
  /** What narrows it. */
  caps: Caps
  expiresAt: Timestamp | null
  revokedAt: Timestamp | null
}

/** `by` is the prefix of the key that asks; `at` is when it is decided, not when it was asked. */
type Asked = { by: string; at: Timestamp }

export type RotateKey = Asked & {
  key: { prefix: string; hash: string; label: string }
  graceSeconds: number
}
export type RevokeKey = Asked & { prefix: string }

/** Valid keys at once: beyond them a loop that rotates would only fill tables. */
export const maxActive = 100

/** Whether the key opens the door at this moment: at its end it no longer does. */
export const isActive = ({ expiresAt, revokedAt }: HeldKey, at: Timestamp): boolean =>
  revokedAt === null && (expiresAt === null || expiresAt > at)

/**
 * Whether the project may have another key with such caps. Narrowed keys are counted apart from the others, so that
 * none of them can use up the project's keys.
 */
export const hasRoomFor = (caps: Caps, { keys }: KeyRing, at: Timestamp): boolean =>
  keys.filter(held => isActive(held, at) && isNarrowed(held.caps) === isNarrowed(caps)).length < maxActive

/**
 * Makes a new key without an end, with the caps of the key that asks for it. The keys of today end after the grace, or
 * earlier where they already have an earlier end. A narrowed key ends only itself.
 */
export function rotate(ring: KeyRing, { key, graceSeconds, by, at }: RotateKey) {
  const { projectId } = ring
  const active = ring.keys.filter(held => isActive(held, at))
  const asker = active.find(({ prefix }) => prefix === by)
  if (asker === undefined) return 'unauthorized'
  const { caps } = asker
  if (!hasRoomFor(caps, ring, at)) return 'too_many'
  const expiresAt = new Date(Date.parse(at) + graceSeconds * 1000).toISOString()
  const ending = isNarrowed(caps) ? [asker] : active
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
 * Nothing happens to a key that is revoked already. The last that opens the door stays (specification, Authentication
 * 4); one in its grace is one that does. A narrowed key revokes only itself.
 */
export function revoke({ projectId, keys }: KeyRing, { prefix, by, at }: RevokeKey) {
  const asker = keys.find(held => held.prefix === by && isActive(held, at))
  if (asker === undefined) return 'unauthorized'
  const revoked = keys.find(key => key.prefix === prefix)
  if (revoked === undefined) return 'missing'
  if (isNarrowed(asker.caps) && revoked !== asker) return 'narrowed'
  if (revoked.revokedAt !== null) return []
  const stays = keys.some(key => key !== revoked && isActive(key, at))
  if (!stays && isActive(revoked, at)) return 'last'
  const events: AccountEvent[] = [{ type: 'KeyRevoked', data: { projectId, prefix, revokedAt: at } }]
  return events
}
