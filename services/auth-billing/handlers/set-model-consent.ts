/** Stores or withdraws the consent of a project that pages are sent to a language model. */
import { refuse } from '@tidemark/bus/refusal'
import type { ModelConsentResponse, SetModelConsent } from '@tidemark/contracts/rpc/accounts'
import type { TermsOfAccounts } from '../adapters/terms.ts'
import { consent } from '../domain/key-ring.ts'
import type { Ports as KeyPorts } from './rotate-key.ts'

export type Ports = KeyPorts & { terms: Pick<TermsOfAccounts, 'modelConsent'> }

/**
 * Returns the consent after the change. An equal consent is kept, with its time and its key. Rejects a request by a key
 * that is no longer valid (`unauthorized`), and by a key with caps of its own (`conflict`, reason `narrowed_key`),
 * because the consent is the whole project's.
 */
export const setModelConsent =
  ({ terms, keys, announce, trace }: Ports) =>
  async ({ projectId, by, host }: SetModelConsent): Promise<ModelConsentResponse> => {
    const before = await terms.modelConsent(projectId)
    if ((before?.host ?? null) === host) return { consent: before }
    const changed = await keys.change(projectId, trace(), (ring, at) => consent(ring, { by, at, host }))
    if (changed === 'unauthorized') throw refuse('unauthorized')
    if (changed === 'narrowed') throw narrowedKey()
    await announce(changed.outboxId)
    return { consent: await terms.modelConsent(projectId) }
  }

const narrowedKey = () =>
  refuse('conflict', {
    reason: 'narrowed_key',
    message:
      'This key has caps of its own, so it cannot change the consent of the project. Use a key of the project without caps, or contact the operator.',
  })
