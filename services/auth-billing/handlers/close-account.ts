/** Closes the account of a project that is to be forgotten. Asked again, it finds nothing left to do. */
import { refuse } from '@tidemark/bus/refusal'
import type { CloseAccount, CloseAccountAnswer } from '@tidemark/contracts/rpc/forget'
import type { CloseAccount as Close } from '../adapters/closing.ts'

export type Ports = {
  close: Close
  /** Tells gateways that keys changed, and ACCOUNTS of a row of the outbox. */
  tell: (outboxId: number | null) => Promise<unknown>
  trace: () => string | undefined
}

/** Refuses a project that there is not. */
export const closeAccount =
  ({ close, tell, trace }: Ports) =>
  async ({ name }: CloseAccount): Promise<CloseAccountAnswer> => {
    const closed = await close(name, { at: new Date().toISOString(), trace: trace() })
    if (closed === null)
      throw refuse('not_found', { field: 'name', message: `There is no project "${name}".` })
    const { outboxId, ...answer } = closed
    await tell(outboxId)
    return answer
  }
