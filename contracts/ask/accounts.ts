/** Questions and commands to auth-billing. */
import { type Static, Type } from 'typebox'
import { Id, orNull, Sha256, Tier, Timestamp } from '../primitives.ts'
import { OwnProxy } from '../run-settings.ts'

export const CreateProject = Type.Object({
  name: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
  tier: Tier,
  unlimited: Type.Boolean(),
})
export type CreateProject = Static<typeof CreateProject>

export const ProjectCreatedAnswer = Type.Object({
  project_id: Id,
  name: Type.String(),
  tier: Tier,
  api_key: Type.String(),
  prefix: Type.String(),
})
export type ProjectCreatedAnswer = Static<typeof ProjectCreatedAnswer>

/** What a project's crawls do where they do not say: null takes it away. */
export const SetProject = Type.Object({
  name: Type.String(),
  proxyUrl: orNull(Type.String({ maxLength: 8192 })),
})
export type SetProject = Static<typeof SetProject>

/** The proxy without its password. */
export const ProjectSetAnswer = Type.Object({
  project_id: Id,
  name: Type.String(),
  proxy_url: orNull(Type.String()),
})
export type ProjectSetAnswer = Static<typeof ProjectSetAnswer>

export const FindKey = Type.Object({ prefix: Type.String() })
export type FindKey = Static<typeof FindKey>

/** What a gateway must know to let a key in. */
export const KeyView = Type.Object({
  prefix: Type.String(),
  hash: Sha256,
  projectId: Id,
  tier: Tier,
  unlimited: Type.Boolean(),
  expiresAt: orNull(Timestamp),
  revokedAt: orNull(Timestamp),
  /** Of the project's crawls that name none. */
  proxy: Type.Optional(OwnProxy),
})
export type KeyView = Static<typeof KeyView>

export const FindKeyAnswer = Type.Object({ key: orNull(KeyView) })
export type FindKeyAnswer = Static<typeof FindKeyAnswer>

/** A key with its project, as tables hold them. */
export type KeyRow = {
  prefix: string
  hash: string
  project_id: number
  tier: Tier
  unlimited: boolean
  expires_at: Date | null
  revoked_at: Date | null
  proxy: OwnProxy | null
}

export function keyViewOf({ project_id, expires_at, revoked_at, proxy, ...same }: KeyRow): KeyView {
  const { prefix, hash, tier, unlimited } = same
  return {
    prefix,
    hash,
    projectId: project_id,
    tier,
    unlimited,
    expiresAt: expires_at?.toISOString() ?? null,
    revokedAt: revoked_at?.toISOString() ?? null,
    ...(proxy && { proxy }),
  }
}
