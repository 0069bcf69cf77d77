/** Requests and commands about the keys of a project, to auth-billing. */
import { type Static, Type } from 'typebox'
import { ApiKeyView, KeyLabel, RotatedKey } from '../http/keys.ts'
import { Id, orNull, Timestamp } from '../primitives.ts'
import { Nothing, rpc } from './rpc.ts'

export const ListKeys = Type.Object({ projectId: Id })
export type ListKeys = Static<typeof ListKeys>

export const ListKeysResponse = Type.Object({ items: Type.Array(ApiKeyView) })
export type ListKeysResponse = Static<typeof ListKeysResponse>

/** Prefix of the calling key. A key that was revoked after the gateway admitted it has no effect any longer. */
const By = Type.String()

/** Creates a key with the restrictions of the calling key. Valid keys stay valid for the grace period. */
export const RotateKey = Type.Object({
  projectId: Id,
  by: By,
  label: orNull(KeyLabel),
  graceSeconds: Type.Integer({ minimum: 0 }),
})
export type RotateKey = Static<typeof RotateKey>

/** Creates a further key without a calling key, which only an operator can do. */
export const CreateKey = Type.Object({ projectId: Id, label: orNull(KeyLabel) })
export type CreateKey = Static<typeof CreateKey>

export const CreateKeyResponse = Type.Object({
  project_id: Id,
  api_key: Type.String(),
  prefix: Type.String(),
  label: Type.String(),
})
export type CreateKeyResponse = Static<typeof CreateKeyResponse>

/** `sequence` of ACCOUNTS; null: not known yet. */
export const RotateKeyResponse = Type.Object({ key: RotatedKey, sequence: orNull(Type.Integer()) })
export type RotateKeyResponse = Static<typeof RotateKeyResponse>

/** Revokes a key. `by` null: an operator's command, which has no calling key. */
export const RevokeKey = Type.Object({ projectId: Id, by: orNull(By), prefix: Type.String() })
export type RevokeKey = Static<typeof RevokeKey>

export const RevokeKeyResponse = Type.Object({ sequence: orNull(Type.Integer()) })
export type RevokeKeyResponse = Static<typeof RevokeKeyResponse>

/** Sent periodically by each gateway: the keys that were used, with the time of the last use. */
export const KeysUsed = Type.Object({
  used: Type.Array(Type.Object({ prefix: Type.String(), at: Timestamp }), { maxItems: 10_000 }),
})
export type KeysUsed = Static<typeof KeysUsed>

export const listKeys = rpc({
  subject: 'ask.accounts.list-keys',
  request: ListKeys,
  response: ListKeysResponse,
  callers: ['gateway', 'admin'],
  server: 'auth-billing',
})

export const createKey = rpc({
  subject: 'ask.accounts.create-key',
  request: CreateKey,
  response: CreateKeyResponse,
  callers: ['admin'],
  server: 'auth-billing',
})

export const rotateKey = rpc({
  subject: 'ask.accounts.rotate-key',
  request: RotateKey,
  response: RotateKeyResponse,
  callers: ['gateway'],
  server: 'auth-billing',
})

export const revokeKey = rpc({
  subject: 'ask.accounts.revoke-key',
  request: RevokeKey,
  response: RevokeKeyResponse,
  callers: ['gateway', 'admin'],
  server: 'auth-billing',
})

/** Sent without waiting. If one is lost, a key looks unused for some time longer. */
export const keysUsed = rpc({
  subject: 'tell.keys-used',
  request: KeysUsed,
  response: Nothing,
  callers: ['gateway'],
  server: 'auth-billing',
})
