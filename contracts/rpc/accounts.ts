/** Requests and commands to auth-billing. */
import { type Static, Type } from 'typebox'
import { SharesEnded } from '../account.ts'
import { Caps, type PageLimits } from '../limits.ts'
import { CloudMode, Id, orNull, Sha256, Tier, Timestamp } from '../primitives.ts'
import { OwnProxy } from '../run-settings.ts'
import { rpc } from './rpc.ts'

export const CreateProject = Type.Object({
  name: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
  tier: Tier,
  unlimited: Type.Boolean(),
})
export type CreateProject = Static<typeof CreateProject>

export const ProjectCreatedResponse = Type.Object({
  project_id: Id,
  name: Type.String(),
  tier: Tier,
  api_key: Type.String(),
  prefix: Type.String(),
})
export type ProjectCreatedResponse = Static<typeof ProjectCreatedResponse>

const change = Type.Union([Type.Integer({ minimum: 0 }), Type.Null(), Type.Literal('default')])

/** Changes of caps: null lifts a cap, `default` removes an override. Missing caps stay unchanged. */
export const CapChanges = Type.Partial(
  Type.Object({ pagesPerDay: change, pagesPerMonth: change, cloudPagesPerDay: change }),
)
export type CapChanges = Static<typeof CapChanges>

/** Missing fields stay unchanged. */
export const SetProject = Type.Object({
  name: Type.String(),
  tier: Type.Optional(Tier),
  unlimited: Type.Optional(Type.Boolean()),
  caps: Type.Optional(CapChanges),
  /** The default cloud mode of scans and crawls of the project. Null removes it. */
  cloudMode: Type.Optional(orNull(CloudMode)),
  proxyUrl: Type.Optional(orNull(Type.String({ maxLength: 8192 }))),
})
export type SetProject = Static<typeof SetProject>

const LimitsView = Type.Object({
  pages_per_day: orNull(Type.Integer()),
  pages_per_month: orNull(Type.Integer()),
  cloud_pages_per_day: orNull(Type.Integer()),
})

/** All current settings of the project: the effective caps, and the proxy without its password. */
export const ProjectSetResponse = Type.Object({
  project_id: Id,
  name: Type.String(),
  tier: Tier,
  unlimited: Type.Boolean(),
  caps: LimitsView,
  cloud_mode: orNull(CloudMode),
  proxy_url: orNull(Type.String()),
})
export type ProjectSetResponse = Static<typeof ProjectSetResponse>

export const SetKey = Type.Object({ prefix: Type.String(), caps: CapChanges })
export type SetKey = Static<typeof SetKey>

/** The current limits of the key. */
export const KeySetResponse = Type.Object({ prefix: Type.String(), project_id: Id, caps: LimitsView })
export type KeySetResponse = Static<typeof KeySetResponse>

export const limitsView = ({ pagesPerDay, pagesPerMonth, cloudPagesPerDay }: PageLimits) => ({
  pages_per_day: pagesPerDay,
  pages_per_month: pagesPerMonth,
  cloud_pages_per_day: cloudPagesPerDay,
})

/** Reads the current terms of a project. */
const ReadTerms = Type.Object({ projectId: Id })

export const ReadTermsResponse = Type.Object({
  terms: orNull(
    Type.Object({
      tier: Tier,
      unlimited: Type.Optional(Type.Boolean()),
      caps: Type.Optional(Caps),
    }),
  ),
})
export type ReadTermsResponse = Static<typeof ReadTermsResponse>

export const FindKey = Type.Object({ prefix: Type.String() })
export type FindKey = Static<typeof FindKey>

/** The data that a gateway needs to admit a key. */
export const KeyView = Type.Object({
  prefix: Type.String(),
  hash: Sha256,
  projectId: Id,
  tier: Tier,
  unlimited: Type.Boolean(),
  /** Caps of the project, and those of this key. */
  caps: Type.Optional(Caps),
  keyCaps: Type.Optional(Caps),
  /** The default cloud mode of the project's scans. */
  cloudMode: Type.Optional(CloudMode),
  expiresAt: orNull(Timestamp),
  revokedAt: orNull(Timestamp),
  /** The default proxy of the project's crawls. */
  proxy: Type.Optional(OwnProxy),
  sharesEnded: Type.Optional(SharesEnded),
})
export type KeyView = Static<typeof KeyView>

export const FindKeyResponse = Type.Object({ key: orNull(KeyView) })
export type FindKeyResponse = Static<typeof FindKeyResponse>

/** A key and its project, as stored in tables. */
export type KeyRow = {
  prefix: string
  hash: string
  project_id: number
  tier: Tier
  unlimited: boolean
  caps: Caps | null
  key_caps: Caps | null
  cloud_mode: CloudMode | null
  expires_at: Date | null
  revoked_at: Date | null
  proxy: OwnProxy | null
  shares_ended: SharesEnded | null
}

export function keyViewOf({ project_id, expires_at, revoked_at, ...same }: KeyRow): KeyView {
  const { prefix, hash, tier, unlimited, caps, key_caps, cloud_mode, proxy, shares_ended } = same
  return {
    prefix,
    hash,
    projectId: project_id,
    tier,
    unlimited,
    expiresAt: expires_at?.toISOString() ?? null,
    revokedAt: revoked_at?.toISOString() ?? null,
    ...(caps && { caps }),
    ...(key_caps && { keyCaps: key_caps }),
    ...(cloud_mode && { cloudMode: cloud_mode }),
    ...(proxy && { proxy }),
    ...(shares_ended && { sharesEnded: shares_ended }),
  }
}

/**
 * Consent of a project that pages leave the installation for the language model and the model of embeddings. `host` has one
 * host, or several that are separated by spaces.
 */
const ModelConsent = Type.Object({ host: Type.String(), by: Type.String(), at: Timestamp })
export type ModelConsent = Static<typeof ModelConsent>

/** Returns whether the consent is for this host. */
export const hasConsented = (consent: ModelConsent | null, host: string): boolean =>
  consent?.host.split(' ').includes(host) === true

/** Ends all shares of a crawl that were made until now. `by` is the prefix of the calling key. */
export const EndShares = Type.Object({ projectId: Id, by: Type.String(), runId: Id })
export type EndShares = Static<typeof EndShares>
const EndSharesResponse = Type.Object({ at: Timestamp })
export type EndSharesResponse = Static<typeof EndSharesResponse>

export const endShares = rpc({
  subject: 'ask.accounts.end-shares',
  request: EndShares,
  response: EndSharesResponse,
  callers: ['gateway'],
  server: 'auth-billing',
})

const ReadModelConsent = Type.Object({ projectId: Id })

/** Null: there is no consent. */
const ModelConsentResponse = Type.Object({ consent: orNull(ModelConsent) })
export type ModelConsentResponse = Static<typeof ModelConsentResponse>

/** Null withdraws the consent. `by` is the prefix of the calling key. */
export const SetModelConsent = Type.Object({ projectId: Id, by: Type.String(), host: orNull(Type.String()) })
export type SetModelConsent = Static<typeof SetModelConsent>

export const readModelConsent = rpc({
  subject: 'ask.accounts.model-consent',
  request: ReadModelConsent,
  response: ModelConsentResponse,
  callers: ['gateway', 'projector', 'extractor'],
  server: 'auth-billing',
})

export const setModelConsent = rpc({
  subject: 'ask.accounts.set-model-consent',
  request: SetModelConsent,
  response: ModelConsentResponse,
  callers: ['gateway'],
  server: 'auth-billing',
})

export const createProject = rpc({
  subject: 'ask.accounts.create-project',
  request: CreateProject,
  response: ProjectCreatedResponse,
  callers: ['admin'],
  server: 'auth-billing',
})

export const setProject = rpc({
  subject: 'ask.accounts.set-project',
  request: SetProject,
  response: ProjectSetResponse,
  callers: ['admin'],
  server: 'auth-billing',
})

export const setKey = rpc({
  subject: 'ask.accounts.set-key',
  request: SetKey,
  response: KeySetResponse,
  callers: ['admin'],
  server: 'auth-billing',
})

export const readTerms = rpc({
  subject: 'ask.accounts.terms',
  request: ReadTerms,
  response: ReadTermsResponse,
  callers: ['gateway', 'crawl-coordinator'],
  server: 'auth-billing',
})

export const findKey = rpc({
  subject: 'ask.accounts.find-key',
  request: FindKey,
  response: FindKeyResponse,
  callers: ['gateway', 'admin'],
  server: 'auth-billing',
})
