/** The routes for the consent of a project that pages are sent to the models of the installation. */
import { ModelConsentRequest, ModelConsentView } from '@tidemark/contracts/http/model-consent'
import { hasConsented, type ModelConsent } from '@tidemark/contracts/rpc/accounts'
import type { ModelOffer } from '@tidemark/contracts/rpc/model'
import type { App } from '../app.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import type { Models } from '../live-pages/adapters/models.ts'

export type ModelConsentPorts = { models: Models }

const path = '/v1/model-consent'
const tags = ['Keys']

export function modelConsentRoutes(app: App, { models }: ModelConsentPorts): void {
  app.get(
    path,
    {
      schema: {
        operationId: 'getModelConsent',
        summary: 'Get the consent to a language model',
        description:
          'Returns whether addresses and text of pages may be sent to the language model of this installation, and to which host.',
        tags,
        response: { 200: ModelConsentView },
      },
    },
    async ({ caller: { projectId } }) => {
      const [offers, consent] = await Promise.all([offersOf(models), models.consent(projectId)])
      return viewOf(offers, consent)
    },
  )

  app.put(
    path,
    {
      schema: {
        operationId: 'setModelConsent',
        summary: 'Give or withdraw the consent to a language model',
        description:
          'No page is sent to a language model without this consent. It is for the current hosts of the language model and of the model of embeddings only, and the event of each change names its time and its key. A key that the operator has restricted cannot change it.',
        tags,
        body: ModelConsentRequest,
        response: { 200: ModelConsentView },
      },
    },
    async ({ body, caller: { projectId, prefix } }) => {
      const offers = await offersOf(models)
      const hosts = [offers.model, offers.embeddings].flatMap(offer => offer?.host ?? [])
      if (body.consent && hosts.length === 0)
        throw new ApiProblem('not_configured', {
          field: 'consent',
          message: 'This installation has no model, so there is nothing to consent to.',
        })
      const host = body.consent ? [...new Set(hosts)].join(' ') : null
      return viewOf(offers, await models.setConsent({ projectId, by: prefix, host }))
    },
  )
}

type Offers = { model: ModelOffer['model']; embeddings: ModelOffer['model'] }

async function offersOf(models: Models): Promise<Offers> {
  const [model, embeddings] = await Promise.all([models.offer(), models.embeddings()])
  return { model, embeddings }
}

/** A consent to other hosts than the current ones does not count. */
function viewOf({ model, embeddings }: Offers, stored: ModelConsent | null): ModelConsentView {
  const isFor = (offer: ModelOffer['model']) => offer !== null && hasConsented(stored, offer.host)
  const consent = isFor(model) || isFor(embeddings) ? stored : null
  return {
    consent: isFor(model),
    model: model?.name ?? null,
    host: model?.host ?? null,
    embeddings: embeddings && { consent: isFor(embeddings), model: embeddings.name, host: embeddings.host },
    changed_at: consent?.at ?? null,
    changed_by: consent?.by ?? null,
  }
}
