/** Closes the account of a project whose data is deleted. A repetition has no effect. */
import { refuse } from '@tidemark/bus/refusal'
import type { CloseAccount, CloseAccountResponse } from '@tidemark/contracts/rpc/forget'
import type { Announce } from '../adapters/announce.ts'
import type { CloseAccount as Close } from '../adapters/closing.ts'

export type Ports = {
  close: Close
  announce: Announce
  trace: () => string | undefined
}

/** Returns what was erased. Rejects an unknown project (`not_found`). */
export const closeAccount =
  ({ close, announce, trace }: Ports) =>
  async ({ name }: CloseAccount): Promise<CloseAccountResponse> => {
    const closed = await close(name, { at: new Date().toISOString(), trace: trace() })
    if (closed === null)
      throw refuse('not_found', { field: 'name', message: `There is no project "${name}".` })
    const { outboxId, ...answer } = closed
    await announce(outboxId)
    return answer
  }
