/**
 * Calls the language model for work that can do without it: only if there is one, with the consent of the project, under
 * the cap of the day. The tokens of every response are billed, once per request id.
 */
import type { ModelUse } from '@tidemark/contracts/http/extraction'
import type { Operation } from '@tidemark/contracts/prices'
import { hasConsented } from '@tidemark/contracts/rpc/accounts'
import type { Metering } from '../metering/adapters/metering.ts'
import type { Models } from './adapters/models.ts'

/** Why the model is not called. */
export type ModelBar = 'not_configured' | 'no_consent' | 'model_calls'
/** Another process has begun this work, and `isOnce` is set. */
export const underWay = 'under_way'

export type ModelPorts = {
  models: Pick<Models, 'offer' | 'consent' | 'reserveCall'>
  metering: Pick<Metering, 'served' | 'release'>
}

export type ModelWork = {
  projectId: number
  /** Work that is repeated under its earlier id is billed once. */
  requestId: string
  operation: Operation
  /** Whether a call that another process has begun under this id is not repeated. */
  isOnce?: true
  /** The page or site that the model receives, for the bill. */
  what: string
}

/**
 * Returns the response of `call`, or why it was not called. Throws if a service is unavailable, or if the response could
 * not be billed.
 */
export async function callModel<Answer extends { use: ModelUse | null }>(
  ports: ModelPorts,
  work: ModelWork,
  call: () => Promise<Answer>,
): Promise<Answer | ModelBar | typeof underWay> {
  const { models, metering } = ports
  const { projectId, requestId, operation, what } = work
  const [offer, consent] = await Promise.all([models.offer(), models.consent(projectId)])
  if (offer === null) return 'not_configured'
  if (!hasConsented(consent, offer.host)) return 'no_consent'
  const release = () => metering.release({ projectId }, requestId)
  try {
    const { granted, isRepeated = false } = await models.reserveCall({ projectId, requestId })
    if (!granted) return 'model_calls'
    if (isRepeated && work.isOnce) return underWay
    const answer = await call()
    const { use } = answer
    if (use === null) release()
    else await metering.served({ projectId }, { requestId, operation, tried: [], model: { ...use, what } })
    return answer
  } catch (error) {
    release()
    throw error
  }
}
