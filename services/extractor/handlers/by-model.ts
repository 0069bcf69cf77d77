/**
 * Makes content with a language model: the page is read, the model receives the text for the values that are missing,
 * and the page is read again with the response, on the same thread and within the same limits.
 */
import { randomBytes } from 'node:crypto'
import type { ContentThread, ThreadAnswer } from '../adapters/content-thread.ts'
import type { Model } from '../adapters/model.ts'
import { messagesFor } from '../domain/model/messages.ts'

/**
 * Returns the thread, whose `make` also fills missing values if `wanted.byModel` is set. A model that does not respond
 * costs its values only: the content then has a warning.
 */
export const withModel = (thread: ContentThread, model: Model | null): ContentThread => ({
  ...thread,
  async make(question, owner): Promise<ThreadAnswer> {
    const { byModel } = question.wanted
    if (byModel === undefined || model === null) return thread.make(question, owner)
    const { maxCharacters } = model
    const made = await thread.make({ ...question, byModel: { maxCharacters } }, owner)
    if (made.modelInput === undefined) return made
    const marker = randomBytes(8).toString('hex')
    const response = await model.request(messagesFor(made.modelInput, { prompt: byModel.prompt, marker }))
    const result =
      response.is === 'answered'
        ? { answer: response.text, warning: null, use: response.use }
        : { answer: null, warning: `the model ${response.why}, so nothing was filled`, use: response.use }
    return thread.make({ ...question, byModel: { maxCharacters, result } }, owner)
  },
  [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
})
