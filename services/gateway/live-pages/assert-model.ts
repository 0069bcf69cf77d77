/** Checks a request for the language model before anything is fetched or billed. */
import { hasConsented, type ModelConsent } from '@tidemark/contracts/rpc/accounts'
import type { ModelOffer } from '@tidemark/contracts/rpc/model'
import { ApiProblem } from '../http/domain/problem.ts'
import { refusal } from '../http/domain/refusal.ts'
import type { Models } from './adapters/models.ts'
import type { ByModel } from './domain/extract-request.ts'

type Ports = Pick<Models, 'offer' | 'embeddings' | 'consent'>

/**
 * Throws ApiProblem: `not_configured` without a model, `bad_value` for another name than that of the model, `conflict`
 * without the consent of the project.
 * @param prefix of the names of the fields
 */
export async function assertModel(
  models: Pick<Ports, 'offer' | 'consent'>,
  projectId: number,
  { prompt, model }: ByModel,
  prefix: string,
): Promise<void> {
  const field = `${prefix}${prompt === undefined ? 'model' : 'prompt'}`
  const [offer, consent] = await Promise.all([models.offer(), models.consent(projectId)])
  const { name, host } = assertOffer(offer, field, schemaAlone)
  if (model !== undefined && model !== 'default' && model !== name)
    throw refusal(
      `${prefix}model`,
      'bad_value',
      `${prefix}model must be "default" or "${name}", the model of this installation.`,
    )
  assertConsent(host, consent, field)
}

/** Throws ApiProblem for an intent that no model may judge, as `assertModel` does. */
export async function assertIntent(
  models: Pick<Ports, 'offer' | 'consent'>,
  projectId: number,
): Promise<void> {
  const [offer, consent] = await Promise.all([models.offer(), models.consent(projectId)])
  const { host } = assertOffer(offer, 'intent', 'the webhook then reports every change')
  assertConsent(host, consent, 'intent')
}

/** Throws ApiProblem for embeddings that no model may make, as `assertModel` does. */
export async function assertEmbeddings(
  models: Pick<Ports, 'embeddings' | 'consent'>,
  projectId: number,
  field: string,
): Promise<void> {
  const [offer, consent] = await Promise.all([models.embeddings(), models.consent(projectId)])
  if (offer === null)
    throw new ApiProblem('not_configured', {
      field,
      message: `This installation has no model of embeddings (EMBEDDINGS_MODEL), which ${field} needs. Leave it out: the chunks are then exported alone.`,
    })
  assertConsent(offer.host, consent, field)
}

/**
 * Reserves a call of the model. Throws ApiProblem `too_many_requests` if the daily cap of the project is used up; then
 * `release` was called.
 */
export async function reserveModelCall(
  models: Pick<Models, 'reserveCall'>,
  request: { projectId: number; requestId: string },
  release: () => void,
): Promise<void> {
  const { granted, cap, retryAfterSeconds } = await models.reserveCall(request).catch(error => {
    release()
    throw error
  })
  if (granted) return
  release()
  throw new ApiProblem('too_many_requests', { reason: 'model_calls', retryAfterSeconds, message: full(cap) })
}

/** Returns the sentence for a used up cap. */
const full = (cap: number): string =>
  `The daily cap of calls of the language model (${cap}) of this project is used up. Try again after the seconds in Retry-After, or leave the model out.`

type Offer = NonNullable<ModelOffer['model']>

function assertOffer(offer: Offer | null, field: string, otherwise: string): Offer {
  if (offer !== null) return offer
  throw new ApiProblem('not_configured', {
    field,
    message: `This installation has no language model, which ${field} needs. Leave it out: ${otherwise}.`,
  })
}

const schemaAlone = 'the schema alone is filled from the structured data of the page'

function assertConsent(host: string, consent: ModelConsent | null, field: string): void {
  if (hasConsented(consent, host)) return
  throw new ApiProblem('conflict', {
    reason: 'model_consent',
    field,
    message: `A model at ${host} would receive text of pages, and the project has not consented to that host. Send PUT /v1/model-consent with {"consent": true}, or leave ${field} out.`,
  })
}
