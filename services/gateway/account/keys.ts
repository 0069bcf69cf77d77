/** Routes for the keys of a project: list, rotation and revocation. A project is created with its first key. */
import {
  ApiKeyList,
  type ApiKeyView,
  KeyParams,
  KeyRotation,
  RevokedKey,
  RotatedKey,
} from '@tidemark/contracts/http/keys'
import type { App } from '../app.ts'
import { deleted, sendDeleted } from '../http/responses/answers.ts'
import type { KeyRing } from './adapters/key-ring.ts'

export type KeyPorts = {
  keyRing: KeyRing
  /** Returns the last use that is not stored yet, in milliseconds since 1970; null: none. */
  latestKeyUse: (prefix: string) => number | null
}

const tags = ['Keys']
const graceSeconds = 86_400

export function keyRoutes(app: App, ports: KeyPorts): void {
  listKeysRoute(app, ports)
  rotateKeyRoute(app, ports)
  revokeKeyRoute(app, ports)
}

function listKeysRoute(app: App, { keyRing, latestKeyUse }: KeyPorts): void {
  app.get(
    '/v1/keys',
    {
      schema: {
        operationId: 'listKeys',
        summary: 'List keys',
        description: 'Lists all keys of the project: valid, expired and revoked.',
        tags,
        response: { 200: ApiKeyList },
      },
    },
    async ({ caller }, reply) => {
      reply.header('cache-control', 'no-store')
      const keys = await keyRing.list(caller.projectId)
      const lastUse = ({ prefix, last_used_at: stored }: ApiKeyView): string | null => {
        const at = latestKeyUse(prefix)
        return at === null || Date.parse(stored ?? '') >= at ? stored : new Date(at).toISOString()
      }
      return { items: keys.map(key => ({ ...key, last_used_at: lastUse(key) })) }
    },
  )
}

function rotateKeyRoute(app: App, { keyRing }: KeyPorts): void {
  app.post(
    '/v1/keys/rotate',
    {
      schema: {
        operationId: 'rotateKey',
        summary: 'Create a key',
        description:
          'The existing keys stay valid for `grace_seconds`, so that programs can switch over. A key that the operator has restricted creates a key with the same restrictions, and expires only itself.',
        tags,
        body: KeyRotation,
        response: { 200: RotatedKey },
      },
    },
    async ({ caller, body }, reply) => {
      reply.header('cache-control', 'no-store')
      return keyRing.rotate({
        projectId: caller.projectId,
        by: caller.prefix,
        label: body.label ?? null,
        graceSeconds: body.grace_seconds ?? graceSeconds,
      })
    },
  )
}

function revokeKeyRoute(app: App, { keyRing }: KeyPorts): void {
  app.delete(
    '/v1/keys/:prefix',
    {
      schema: {
        operationId: 'revokeKey',
        summary: 'Revoke a key',
        description:
          'Takes effect at once, permanently. The last valid key of a project cannot be revoked. A key that the operator has restricted can revoke only itself.',
        tags,
        params: KeyParams,
        response: deleted(app.profile.keyRevoked, RevokedKey, 'The key is revoked.'),
      },
    },
    async ({ caller, params }, reply) => {
      const { prefix } = params
      await keyRing.revoke({ projectId: caller.projectId, by: caller.prefix, prefix })
      return sendDeleted(reply, app.profile.keyRevoked, { revoked: true, prefix })
    },
  )
}
