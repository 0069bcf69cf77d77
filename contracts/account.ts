/** A project and its keys: everything that can happen to them. One subject a project, written by auth-billing alone. */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from './commit.ts'
import { Id, orNull, Sha256, Tier, Timestamp } from './primitives.ts'
import { OwnProxy } from './run-settings.ts'

export const AccountEvent = Type.Union([
  fact('ProjectCreated', {
    projectId: Id,
    name: Type.String(),
    tier: Tier,
    /** Lifts page caps and request rates, never the cap of concurrent runs. */
    unlimited: Type.Boolean(),
  }),
  /** Only the hash of a key is ever known after its creation. */
  fact('KeyCreated', {
    projectId: Id,
    prefix: Type.String({ minLength: 12, maxLength: 12 }),
    hash: Sha256,
    label: Type.String(),
    createdAt: Timestamp,
    expiresAt: orNull(Timestamp),
  }),
  /** These keys still open the door until then, and no longer: another has taken their place. */
  fact('KeysSuperseded', { projectId: Id, prefixes: Type.Array(Type.String()), expiresAt: Timestamp }),
  fact('KeyRevoked', { projectId: Id, prefix: Type.String(), revokedAt: Timestamp }),
  /** The proxy of crawls that name none; null takes it away. */
  fact('ProjectProxySet', { projectId: Id, proxy: orNull(OwnProxy) }),
])
export type AccountEvent = Static<typeof AccountEvent>

export const AccountCommit = commitOf(AccountEvent)
export type AccountCommit = Static<typeof AccountCommit>
