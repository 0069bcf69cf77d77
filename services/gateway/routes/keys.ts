/** The keys of a project: listed, rotated and revoked; the first comes with the project. */
import { ApiKeyList, KeyParams, KeyRotation, RevokedKey, RotatedKey } from '@tidemark/contracts/http/keys'
import type { KeyRing } from '../adapters/key-ring.ts'
import type { App } from '../app.ts'
import { deleted, sendDeleted, withWarnings } from './answers.ts'

export type KeyPorts = { keyRing: KeyRing }

const tags = ['Keys']
const graceSeconds = 86_400

export function keyRoutes(app: App, { keyRing }: KeyPorts): void {
  app.get(
    '/v1/keys',
    {
      schema: {
        operationId: 'listKeys',
        summary: 'List keys',
        description: 'All that the project ever had: valid, expired and revoked.',
        tags,
        response: { 200: ApiKeyList },
      },
    },
    async ({ caller }, reply) => {
      reply.header('cache-control', 'no-store')
      return { items: await keyRing.list(caller.projectId) }
    },
  )

  app.post(
    '/v1/keys/rotate',
    {
      schema: {
        operationId: 'rotateKey',
        summary: 'Make a new key',
        description: 'The keys of today stay valid for `grace_seconds`, so that programs can change over.',
        tags,
        body: KeyRotation,
        response: { 200: RotatedKey },
      },
    },
    async ({ caller, body, warnings }, reply) => {
      reply.header('cache-control', 'no-store')
      const rotated = await keyRing.rotate({
        projectId: caller.projectId,
        by: caller.prefix,
        label: body.label ?? null,
        graceSeconds: body.grace_seconds ?? graceSeconds,
      })
      return withWarnings(rotated, warnings)
    },
  )

  app.delete(
    '/v1/keys/:prefix',
    {
      schema: {
        operationId: 'revokeKey',
        summary: 'Revoke a key',
        description: 'At once and for good. The last valid key of a project cannot be revoked.',
        tags,
        params: KeyParams,
        response: deleted(app.profile.keyRevoked, RevokedKey, 'It opens nothing any more.'),
      },
    },
    async ({ caller, params }, reply) => {
      const { prefix } = params
      await keyRing.revoke({ projectId: caller.projectId, by: caller.prefix, prefix })
      return sendDeleted(reply, app.profile.keyRevoked, { revoked: true, prefix })
    },
  )
}
