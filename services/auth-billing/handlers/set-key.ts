/** Narrows the limits of a key below those of its project. */
import { refuse } from '@tidemark/bus/refusal'
import { type KeySetResponse, limitsView, type SetKey } from '@tidemark/contracts/rpc/accounts'
import type { Announce } from '../adapters/announce.ts'
import type { TermsOfAccounts } from '../adapters/terms.ts'
import { changeKeyCaps } from '../domain/terms.ts'

export type Ports = {
  terms: Pick<TermsOfAccounts, 'changeKey'>
  announce: Announce
  trace: () => string | undefined
}

/** Sets the caps of a key and returns its limits. Rejects an unknown key (`not_found`). */
export const setKey =
  ({ terms, announce, trace }: Ports) =>
  async ({ prefix, caps }: SetKey): Promise<KeySetResponse> => {
    const info = { at: new Date().toISOString(), trace: trace() }
    const changed = await terms.changeKey(prefix, info, key => changeKeyCaps(key, caps))
    if (changed === null)
      throw refuse('not_found', { field: 'prefix', message: `There is no key "${prefix}".` })
    await announce(changed.outboxId)
    const { projectId, limits } = changed.now
    return { prefix, project_id: projectId, caps: limitsView(limits) }
  }
