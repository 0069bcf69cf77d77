/** Checks a request for the language model before anything is fetched or billed. */
import { ApiProblem } from '../http/domain/problem.ts'
import { refusal } from '../http/domain/refusal.ts'
import type { Models } from './adapters/models.ts'
import type { ByModel } from './domain/extract-request.ts'

/**
 * Throws ApiProblem: `not_configured` without a model, `bad_value` for another name than that of the model, `conflict`
 * without the consent of the project.
 * @param prefix of the names of the fields
 */
export async function assertModel(
  models: Models,
  projectId: number,
  { prompt, model }: ByModel,
  prefix: string,
): Promise<void> {
  const field = `${prefix}${prompt === undefined ? 'model' : 'prompt'}`
  const [offer, consent] = await Promise.all([models.offer(), models.consent(projectId)])
  if (offer === null)
    throw new ApiProblem('not_configured', {
      field,
      message: `This installation has no language model, which ${field} needs. Leave it out: the schema alone is filled from the structured data of the page.`,
    })
  if (model !== undefined && model !== 'default' && model !== offer.name)
    throw refusal(
      `${prefix}model`,
      'bad_value',
      `${prefix}model must be "default" or "${offer.name}", the model of this installation.`,
    )
  if (consent?.host !== offer.host)
    throw new ApiProblem('conflict', {
      reason: 'model_consent',
      field,
      message: `The language model would receive text of the page at ${offer.host}, and the project has not consented to that host. Send PUT /v1/model-consent with {"consent": true}, or leave ${field} out.`,
    })
}
