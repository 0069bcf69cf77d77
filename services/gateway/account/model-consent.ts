/** The routes for the consent of a project that pages are sent to the language model of the installation. */
import { ModelConsentRequest, ModelConsentView } from '@tidemark/contracts/http/model-consent'
import type { ModelConsent } from '@tidemark/contracts/rpc/accounts'
import type { ModelOffer } from '@tidemark/contracts/rpc/model'
import type { App } from '../app.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import type { Models } from '../reading/adapters/models.ts'

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
      const [offer, consent] = await Promise.all([models.offer(), models.consent(projectId)])
      return viewOf(offer, consent)
    },
  )

  app.put(
    path,
    {
      schema: {
        operationId: 'setModelConsent',
        summary: 'Give or withdraw the consent to a language model',
        description:
          'No page is sent to a language model without this consent. It is for the current host of the model only, and the event of each change names its time and its key. A key that the operator has restricted cannot change it.',
        tags,
        body: ModelConsentRequest,
        response: { 200: ModelConsentView },
      },
    },
    async ({ body, caller: { projectId, prefix } }) => {
      const offer = await models.offer()
      if (body.consent && offer === null)
        throw new ApiProblem('not_configured', {
          field: 'consent',
          message: 'This installation has no language model, so there is nothing to consent to.',
        })
      const host = body.consent && offer !== null ? offer.host : null
      return viewOf(offer, await models.setConsent({ projectId, by: prefix, host }))
    },
  )
}

/** A consent to another host than the current one does not count. */
function viewOf(offer: ModelOffer['model'], stored: ModelConsent | null): ModelConsentView {
  const consent = stored !== null && stored.host === offer?.host ? stored : null
  return {
    consent: consent !== null,
    model: offer?.name ?? null,
    host: offer?.host ?? null,
    changed_at: consent?.at ?? null,
    changed_by: consent?.by ?? null,
  }
}
