/** Creates an additional key of a project for an operator. Existing keys stay valid. */
import { randomInt } from 'node:crypto'
import { refuse } from '@tidemark/bus/refusal'
import type { AccountEvent } from '@tidemark/contracts/account'
import type { CreateKey, CreateKeyResponse } from '@tidemark/contracts/rpc/keys'
import { makeKey } from '../domain/key.ts'
import { canAddKey, maxActive } from '../domain/key-ring.ts'
import type { Ports } from './rotate-key.ts'

const defaultLabel = 'created'

/**
 * Creates a key. Rejects with `conflict`, reason `too_many_keys`, when the project has `maxActive` valid keys without
 * own caps.
 */
export const createKey =
  ({ keys, announce, trace }: Ports) =>
  async ({ projectId, label }: CreateKey): Promise<CreateKeyResponse> => {
    const { plaintext, key } = makeKey(label ?? defaultLabel, randomInt)
    const changed = await keys.change(projectId, trace(), (ring, at) => {
      if (!canAddKey({}, ring, at)) return 'too_many'
      const data = { projectId, ...key, createdAt: at, expiresAt: null }
      return [{ type: 'KeyCreated', data }] satisfies AccountEvent[]
    })
    if (changed === 'too_many') throw tooManyKeys()
    await announce(changed.outboxId)
    return { project_id: projectId, api_key: plaintext, prefix: key.prefix, label: key.label }
  }

const tooManyKeys = () =>
  refuse('conflict', {
    reason: 'too_many_keys',
    message: `This project has ${maxActive} valid keys. Revoke some first.`,
  })
