/** Narrows what may be spent with a key, below what its project may. */
import { refuse } from '@tidemark/bus/refusal'
import { type KeySetAnswer, limitsView, type SetKey } from '@tidemark/contracts/rpc/accounts'
import type { TermsOfAccounts } from '../adapters/terms.ts'
import { changeKeyCaps } from '../domain/terms.ts'

export type Ports = {
  terms: Pick<TermsOfAccounts, 'changeKey'>
  /** Tells gateways that something changed, and ACCOUNTS of a row of the outbox. */
  tell: (outboxId: number | null) => Promise<unknown>
  trace: () => string | undefined
}

/** Refuses a key that there is not. */
export const setKey =
  ({ terms, tell, trace }: Ports) =>
  async ({ prefix, caps }: SetKey): Promise<KeySetAnswer> => {
    const told = { at: new Date().toISOString(), trace: trace() }
    const changed = await terms.changeKey(prefix, told, key => changeKeyCaps(key, caps))
    if (changed === null)
      throw refuse('not_found', { field: 'prefix', message: `There is no key "${prefix}".` })
    await tell(changed.outboxId)
    const { projectId, limits } = changed.now
    return { prefix, project_id: projectId, caps: limitsView(limits) }
  }
