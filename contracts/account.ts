/** Events of a project and its keys. One subject per project, written by auth-billing only. */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from './commit.ts'
import { Caps } from './limits.ts'
import { CloudMode, Id, oneOf, orNull, Sha256, Tier, Timestamp } from './primitives.ts'
import { OwnProxy } from './run-settings.ts'

/** The longest life of a share of a crawl. */
export const maxShareHours = 720

/** Maps run ids to times: shares that were made until this time have ended. `everyRun` stands for all runs. */
export const SharesEnded = Type.Record(Type.String(), Timestamp)
export type SharesEnded = Static<typeof SharesEnded>

export const everyRun = '0'

/** Returns whether a share has been ended. `madeAt` is milliseconds since 1970; open sessions of earlier versions have none. */
export const isShareEnded = (
  ended: SharesEnded | undefined,
  runId: number,
  madeAt: number | undefined,
): boolean => [String(runId), everyRun].some(run => (madeAt ?? 0) <= Date.parse(ended?.[run] ?? ''))

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
  /** These keys were replaced and stay valid until this time. */
  fact('KeysSuperseded', { projectId: Id, prefixes: Type.Array(Type.String()), expiresAt: Timestamp }),
  fact('KeyRevoked', { projectId: Id, prefix: Type.String(), revokedAt: Timestamp }),
  /** The new terms of the project. */
  fact('ProjectTierSet', { projectId: Id, tier: Tier, unlimited: Type.Boolean() }),
  /** All caps of the project that replace those of its tier. The tier supplies the missing ones. */
  fact('ProjectCapsSet', { projectId: Id, caps: Caps }),
  /** Default cloud mode of scans. Null: the service decides. */
  fact('ProjectCloudModeSet', { projectId: Id, cloudMode: orNull(CloudMode) }),
  /** The new caps that restrict this key. */
  fact('KeyCapsSet', { projectId: Id, prefix: Type.String(), caps: Caps }),
  /** Default proxy of crawls. Null removes it. */
  fact('ProjectProxySet', { projectId: Id, proxy: orNull(OwnProxy) }),
  /** The ends of the project's shares from now on. Not written any more: `CrawlSharesEnded` holds only the change. */
  fact('ProjectSharesEnded', {
    projectId: Id,
    runId: Id,
    by: Type.String(),
    at: Timestamp,
    ended: SharesEnded,
  }),
  /**
   * All shares of a crawl that were made until `at` have ended. `by` is the prefix of the key of the request. The ends of
   * the `forgotten` runs are no longer kept, because those shares are too old, or because `everyRun` includes them.
   */
  fact('CrawlSharesEnded', {
    projectId: Id,
    runId: Id,
    by: Type.String(),
    at: Timestamp,
    /** The new end of the shares of all runs, if it moved. */
    everyRun: orNull(Timestamp),
    forgotten: Type.Array(Type.String()),
  }),
  /**
   * The host of a language model that may receive pages of the project, or several hosts that are separated by spaces. Null
   * withdraws the consent. `by` is the prefix of the key of the request.
   */
  fact('ProjectModelConsentSet', {
    projectId: Id,
    host: orNull(Type.String()),
    by: Type.String(),
    at: Timestamp,
  }),
  /** State of the project's subscription at the payment provider. No event names the payer. */
  fact('BillingSet', {
    projectId: Id,
    mode: oneOf(['live', 'mock']),
    subscriptionStatus: orNull(Type.String()),
  }),
])
export type AccountEvent = Static<typeof AccountEvent>
type CrawlSharesEnded = Extract<AccountEvent, { type: 'CrawlSharesEnded' }>['data']

/** Returns the entries of `SharesEnded` that the event removes, and those that it adds. */
export const changedEnds = ({
  runId,
  at,
  everyRun: every,
  forgotten,
}: CrawlSharesEnded): [removed: string[], added: SharesEnded] => [
  forgotten,
  { [runId]: at, ...(every !== null && { [everyRun]: every }) },
]

export const AccountCommit = commitOf(AccountEvent)
export type AccountCommit = Static<typeof AccountCommit>

/** A signup that waits for payment. One subject per intent, written by auth-billing only. It contains no mail address. */
export const IntentEvent = Type.Union([
  fact('SignupIntended', {
    intentId: Id,
    projectName: Type.String(),
    tier: Tier,
    /** At this time the name becomes free again. */
    expiresAt: Timestamp,
  }),
  fact('CheckoutCreated', { intentId: Id, sessionId: Type.String(), mock: Type.Boolean() }),
  fact('IntentFulfilled', { intentId: Id, projectId: Id, tier: Tier }),
  /** The intent expired before payment. */
  fact('IntentExpired', { intentId: Id }),
  /** The payment provider created no checkout for it. */
  fact('IntentFailed', { intentId: Id }),
])
export type IntentEvent = Static<typeof IntentEvent>

export const IntentCommit = commitOf(IntentEvent)
