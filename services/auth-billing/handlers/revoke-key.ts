/** Takes a key away for good. */
import { Refusal } from '@tidemark/bus/ask'
import type { RevokeKey, RevokeKeyAnswer } from '@tidemark/contracts/ask/keys'
import { problems } from '@tidemark/contracts/problems'
import { revoke } from '../domain/key-ring.ts'
import type { Ports } from './rotate-key.ts'

/** Refuses a key that the project has not (404), and the last that opens the door: 409, reason `last_key`. */
export const revokeKey =
  ({ keys, tell, trace }: Ports) =>
  async ({ projectId, prefix }: RevokeKey): Promise<RevokeKeyAnswer> => {
    const at = new Date().toISOString()
    const changed = await keys.change(projectId, { at, trace: trace() }, ring => revoke(ring, { prefix, at }))
    if (changed === 'missing') throw missing()
    if (changed === 'last') throw lastKey()
    return { sequence: await tell(changed.outboxId) }
  }

const missing = () =>
  new Refusal({ status: problems.not_found.status, code: 'not_found', message: problems.not_found.says })

const lastKey = () =>
  new Refusal({
    status: problems.conflict.status,
    code: 'conflict',
    reason: 'last_key',
    message: 'This is the last valid key of the project. Rotate first, then revoke it with the new one.',
  })
