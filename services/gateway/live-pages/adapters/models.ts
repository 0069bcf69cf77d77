/** Requests the language model of the installation from the extractor, and the consent of a project from auth-billing. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { ModelConsent } from '@tidemark/contracts/rpc/accounts'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import type {
  ChangeInWords,
  DescribeChange,
  JudgeChange,
  JudgedChange,
  ModelOffer,
} from '@tidemark/contracts/rpc/model'
import * as modelRpc from '@tidemark/contracts/rpc/model'
import type { ReserveModelCall, ReserveModelCallResponse } from '@tidemark/contracts/rpc/usage'
import * as usageRpc from '@tidemark/contracts/rpc/usage'

/** Every function throws `unavailable` if the service does not respond. */
export type Models = {
  /** Returns the model; null: the installation has no model. */
  offer(): Promise<ModelOffer['model']>
  /** Returns the model of embeddings; null: the installation has no such model. */
  embeddings(): Promise<ModelOffer['model']>
  /** Returns the stored consent, which no gateway caches, so a withdrawn consent never counts. */
  consent(projectId: number): Promise<ModelConsent | null>
  /**
   * Reserves a call of the model under the daily cap of the project. Release it with the request if the model is not
   * called: otherwise it counts for 15 minutes.
   */
  reserveCall(call: ReserveModelCall): Promise<ReserveModelCallResponse>
  /** Describes changed lines in words. */
  describe(change: DescribeChange): Promise<ChangeInWords>
  judge(change: JudgeChange): Promise<JudgedChange>
  /** Stores or withdraws the consent. Throws the `Refusal` of auth-billing. */
  setConsent(change: { projectId: number; by: string; host: string | null }): Promise<ModelConsent | null>
}

const timeoutMs = 5_000
/** Exceeds the maximum time of a language model. */
const modelMs = 65_000

export const openModels = (bus: Bus): Models => ({
  async offer() {
    return (await call(bus, modelRpc.offerModel, {}, { timeoutMs })).model
  },
  async embeddings() {
    return (await call(bus, modelRpc.offerModel, {}, { timeoutMs })).embeddings ?? null
  },
  async consent(projectId) {
    return (await call(bus, accountsRpc.readModelConsent, { projectId }, { timeoutMs })).consent
  },
  reserveCall: wanted => call(bus, usageRpc.reserveModelCall, wanted, { timeoutMs }),
  describe: change => call(bus, modelRpc.describeChange, change, { timeoutMs: modelMs }),
  judge: change => call(bus, modelRpc.judgeChange, change, { timeoutMs: modelMs }),
  async setConsent(change) {
    return (await call(bus, accountsRpc.setModelConsent, change, { timeoutMs })).consent
  },
})
