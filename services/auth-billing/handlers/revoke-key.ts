/** Takes a key away for good. */
import { refuse } from '@tidemark/bus/ask'
import type { RevokeKey, RevokeKeyAnswer } from '@tidemark/contracts/ask/keys'
import { revoke } from '../domain/key-ring.ts'
import type { Ports } from './rotate-key.ts'

/**
 * Refuses who asks with a key that is good no more (`unauthorized`), a key that the project has not (`not_found`), and
 * the last that opens the door: `conflict`, reason `last_key`.
 */
export const revokeKey =
  ({ keys, tell, trace }: Ports) =>
  async ({ projectId, by, prefix }: RevokeKey): Promise<RevokeKeyAnswer> => {
    const changed = await keys.change(projectId, trace(), (ring, at) => revoke(ring, { prefix, by, at }))
    if (changed === 'unauthorized') throw refuse('unauthorized')
    if (changed === 'missing') throw refuse('not_found')
    if (changed === 'last') throw lastKey()
    return { sequence: await tell(changed.outboxId) }
  }

const lastKey = () =>
  refuse('conflict', {
    reason: 'last_key',
    message: 'This is the last valid key of the project. Rotate first, then revoke it with the new one.',
  })
