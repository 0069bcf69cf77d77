/** Gives a project one more key, for an operator: no key asks for it, and none ends by it. */
import { randomInt } from 'node:crypto'
import { refuse } from '@tidemark/bus/refusal'
import type { AccountEvent } from '@tidemark/contracts/account'
import { prefixOf } from '@tidemark/contracts/api-key'
import type { CreateKey, CreateKeyAnswer } from '@tidemark/contracts/rpc/keys'
import { hashOf, makeKey } from '../domain/key.ts'
import { hasRoomFor, maxActive } from '../domain/key-ring.ts'
import type { Ports } from './rotate-key.ts'

const unnamed = 'created'

/** Refuses a project that has very many valid keys: `conflict`, reason `too_many_keys`. */
export const createKey =
  ({ keys, tell, trace }: Ports) =>
  async ({ projectId, label }: CreateKey): Promise<CreateKeyAnswer> => {
    const plaintext = makeKey(randomInt)
    const key = { prefix: prefixOf(plaintext), hash: hashOf(plaintext), label: label ?? unnamed }
    const changed = await keys.change(projectId, trace(), (ring, at) => {
      if (!hasRoomFor({}, ring, at)) return 'too_many'
      const data = { projectId, ...key, createdAt: at, expiresAt: null }
      return [{ type: 'KeyCreated', data }] satisfies AccountEvent[]
    })
    if (changed === 'too_many') throw tooManyKeys()
    await tell(changed.outboxId)
    return { project_id: projectId, api_key: plaintext, prefix: key.prefix, label: key.label }
  }

const tooManyKeys = () =>
  refuse('conflict', {
    reason: 'too_many_keys',
    message: `This project has ${maxActive} valid keys. Revoke some first.`,
  })
