/** What may happen to the keys of a project: who asks must still be let in, and somebody must always be able to come in. */
import type { AccountEvent } from '@tidemark/contracts/account'
import { type Caps, capNames } from '@tidemark/contracts/limits'
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
export const mostActive = 100

/** Whether the key opens the door at this moment: at its end it no longer does. */
export const isActive = ({ expiresAt, revokedAt }: HeldKey, at: Timestamp): boolean =>
  revokedAt === null && (expiresAt === null || expiresAt > at)

/** A new key without an end, that may spend no more than the one that asks for it. Those of today end after the grace, or before where that was said already. */
export function rotate({ projectId, keys }: KeyRing, { key, graceSeconds, by, at }: RotateKey) {
  const active = keys.filter(held => isActive(held, at))
  const asker = active.find(({ prefix }) => prefix === by)
  if (asker === undefined) return 'unauthorized'
  if (active.length >= mostActive) return 'too_many'
  const { caps } = asker
  const expiresAt = new Date(Date.parse(at) + graceSeconds * 1000).toISOString()
  const prefixes = active.filter(held => held.expiresAt === null || held.expiresAt > expiresAt)
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
 * 4); one in its grace is one that does.
 */
export function revoke({ projectId, keys }: KeyRing, { prefix, by, at }: RevokeKey) {
  if (!keys.some(held => held.prefix === by && isActive(held, at))) return 'unauthorized'
  const revoked = keys.find(key => key.prefix === prefix)
  if (revoked === undefined) return 'missing'
  if (revoked.revokedAt !== null) return []
  const stays = keys.some(key => key !== revoked && isActive(key, at))
  if (!stays && isActive(revoked, at)) return 'last'
  const events: AccountEvent[] = [{ type: 'KeyRevoked', data: { projectId, prefix, revokedAt: at } }]
  return events
}
