import { refuse } from '@tidemark/bus/refusal'
import type { RevokeKey, RevokeKeyResponse } from '@tidemark/contracts/rpc/keys'
import { revoke } from '../domain/key-ring.ts'
import type { Ports } from './rotate-key.ts'

/**
 * Revokes a key permanently. Rejects a request by a key that is no longer valid (`unauthorized`), and one for an
 * unknown key (`not_found`). Rejects with `conflict` for the last valid key (reason `last_key`), and when a narrowed
 * key would revoke another one (reason `narrowed_key`).
 */
export const revokeKey =
  ({ keys, announce, trace }: Ports) =>
  async ({ projectId, by, prefix }: RevokeKey): Promise<RevokeKeyResponse> => {
    const changed = await keys.change(projectId, trace(), (ring, at) => revoke(ring, { prefix, by, at }))
    if (changed === 'unauthorized') throw refuse('unauthorized')
    if (changed === 'missing') throw refuse('not_found')
    if (changed === 'narrowed') throw narrowedKey(prefix)
    if (changed === 'last') throw lastKey()
    return { sequence: await announce(changed.outboxId) }
  }

const narrowedKey = (prefix: string) =>
  refuse('conflict', {
    reason: 'narrowed_key',
    field: 'prefix',
    message: `This key has caps of its own, so it can rotate and revoke only itself, not "${prefix}". Use a key of the project without caps, or contact the operator.`,
  })

const lastKey = () =>
  refuse('conflict', {
    reason: 'last_key',
    message: 'This is the last valid key of the project. Rotate first, then revoke it with the new one.',
  })
