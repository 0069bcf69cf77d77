/** A project and its keys: everything that can happen to them. One subject a project, written by auth-billing alone. */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from './commit.ts'
import { Caps } from './limits.ts'
import { CloudMode, Id, orNull, Sha256, Tier, Timestamp } from './primitives.ts'
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
  /** On which terms the project is served from now on. */
  fact('ProjectTierSet', { projectId: Id, tier: Tier, unlimited: Type.Boolean() }),
  /** All caps that are the project's own from now on: what is not named is its tier's. */
  fact('ProjectCapsSet', { projectId: Id, caps: Caps }),
  /** What a scan does that does not say; null leaves it to the service. */
  fact('ProjectCloudModeSet', { projectId: Id, cloudMode: orNull(CloudMode) }),
  /** All caps that narrow what this key may spend from now on. */
  fact('KeyCapsSet', { projectId: Id, prefix: Type.String(), caps: Caps }),
  /** The proxy of crawls that name none; null takes it away. */
  fact('ProjectProxySet', { projectId: Id, proxy: orNull(OwnProxy) }),
  /** What the payment provider says of the project's subscription; who pays stands in no event. */
  fact('BillingSet', {
    projectId: Id,
    mode: Type.Union([Type.Literal('live'), Type.Literal('mock')]),
    subscriptionStatus: orNull(Type.String()),
  }),
])
export type AccountEvent = Static<typeof AccountEvent>

export const AccountCommit = commitOf(AccountEvent)
export type AccountCommit = Static<typeof AccountCommit>

/** A signup that is to be paid first: one subject an intent, written by auth-billing alone. Nobody's address is in it. */
export const IntentEvent = Type.Union([
  fact('SignupIntended', {
    intentId: Id,
    projectName: Type.String(),
    tier: Tier,
    /** From then on the name is free again. */
    expiresAt: Timestamp,
  }),
  fact('CheckoutCreated', { intentId: Id, sessionId: Type.String(), mock: Type.Boolean() }),
  fact('IntentFulfilled', { intentId: Id, projectId: Id, tier: Tier }),
  /** Nobody paid in time. */
  fact('IntentExpired', { intentId: Id }),
  /** The payment provider gave no checkout for it. */
  fact('IntentFailed', { intentId: Id }),
])
export type IntentEvent = Static<typeof IntentEvent>

export const IntentCommit = commitOf(IntentEvent)
export type IntentCommit = Static<typeof IntentCommit>
