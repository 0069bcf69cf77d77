/** Requests the language model of the installation from the extractor, and the consent of a project from auth-billing. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { ModelConsent } from '@tidemark/contracts/rpc/accounts'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import type { ModelOffer } from '@tidemark/contracts/rpc/content'
import * as contentRpc from '@tidemark/contracts/rpc/content'

/** Every function throws `unavailable` if the service does not respond. */
export type Models = {
  /** Returns the model; null: without one. */
  offer(): Promise<ModelOffer['model']>
  /** Returns the stored consent, which no gateway caches, so a withdrawn one never counts. */
  consent(projectId: number): Promise<ModelConsent | null>
  /** Stores or withdraws the consent. Throws the `Refusal` of auth-billing. */
  setConsent(change: { projectId: number; by: string; host: string | null }): Promise<ModelConsent | null>
}

const timeoutMs = 5_000

export const openModels = (bus: Bus): Models => ({
  async offer() {
    return (await call(bus, contentRpc.offerModel, {}, { timeoutMs })).model
  },
  async consent(projectId) {
    return (await call(bus, accountsRpc.readModelConsent, { projectId }, { timeoutMs })).consent
  },
  async setConsent(change) {
    return (await call(bus, accountsRpc.setModelConsent, change, { timeoutMs })).consent
  },
})
