/**
 * Makes content with a language model: the page is read, the model receives the text for the values that are missing,
 * and the page is read again with the response, on the same thread and within the same limits.
 */
import { randomBytes } from 'node:crypto'
import { decodeJson, encodeJson } from '@tidemark/bus/codec'
import { Refusal } from '@tidemark/bus/refusal'
import type { ModelUse } from '@tidemark/contracts/http/extraction'
import type { Content } from '@tidemark/contracts/rpc/content'
import type { ContentThread, ThreadAnswer } from '../adapters/content-thread.ts'
import type { Model } from '../adapters/model.ts'
import { messagesFor } from '../domain/model/messages.ts'

/**
 * Returns the thread, whose `make` also fills missing values if `wanted.byModel` is set. If the model does not respond,
 * only its values are missing, and the content has a warning.
 */
export const withModel = (thread: ContentThread, model: Model | null): ContentThread => ({
  ...thread,
  async make(request, owner): Promise<ThreadAnswer> {
    const { byModel } = request.wanted
    if (byModel === undefined || model === null) return thread.make(request, owner)
    const { maxCharacters } = model
    const made = await thread.make({ ...request, byModel: { maxCharacters } }, owner)
    if (made.modelInput === undefined) return made
    const marker = randomBytes(8).toString('hex')
    const messages = messagesFor(made.modelInput, { prompt: byModel.prompt, marker })
    const response = await model.request(messages, owner)
    const result =
      response.type === 'answered'
        ? { answer: response.text, warning: null, use: response.use }
        : { answer: null, warning: `the model ${response.why}, so nothing was filled`, use: response.use }
    try {
      return await thread.make({ ...request, byModel: { maxCharacters, result } }, owner)
    } catch (error) {
      if (!(error instanceof Refusal) || response.use === null) throw error
      return unfilled(made, response.use)
    }
  },
})

/** Returns the first reading with the use of the model, which is billed although the page could not be read again. */
function unfilled({ json, challenge, isShell }: ThreadAnswer, use: ModelUse): ThreadAnswer {
  const content = decodeJson(json) as Content
  const extraction = content.extraction && { ...content.extraction, model: use }
  const warnings = [...content.warnings, 'the page could not be read again, so nothing was filled']
  return { json: encodeJson({ ...content, extraction, warnings }), challenge, isShell }
}
