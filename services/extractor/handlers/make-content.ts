/**
 * Makes the content of one page: the work of its thread. Modules that only some pages need are loaded on first use:
 * language profiles, the CommonMark renderer, and the ranks of tokens.
 */
import { chunksOf, maxChunks } from '@tidemark/chunks/chunks'
import type { Content, Wanted } from '@tidemark/contracts/rpc/content'
import { languageOf } from '@tidemark/html/language/guess'
import type { JsonObject } from '@tidemark/schema/bounds'
import type { WriteCommonmark } from '../domain/commonmark.ts'
import { contentOf, isShell, openPage, wordsToGuessBy } from '../domain/content.ts'
import type { ContentRequest } from '../domain/content-request.ts'
import { withoutNulls } from '../domain/extract/extraction.ts'
import { contentByModel, withModelSources } from '../domain/model/content-by-model.ts'
import type { ModelInput } from '../domain/model/messages.ts'

export type Made = {
  content: Content
  /** Whether only scripts would make the content; see `domain/script-shell.ts`. */
  isShell: boolean
  /** The request to a model; null: nothing is missing, or no model fills it. */
  modelInput: ModelInput | null
}

export async function makeContent(request: ContentRequest): Promise<Made> {
  const { wanted, byModel } = request
  const page = openPage(byModel ? { ...request, wanted: withModelSources(wanted) } : request)
  const words = wordsToGuessBy(page)
  const guessed = words === null ? null : await languageOf(words)
  const commonmark = wanted.commonmark ? await commonmarkWriter() : null
  const content = contentOf(page, { guessed, commonmark })
  const { content: filled, modelInput } = await checked(content, request, isShell(page))
  return { content: await withChunks(filled, wanted), isShell: isShell(page), modelInput }
}

/** Checks the extracted object by its schema, with the values of a model if one fills it. */
async function checked(content: Content, request: ContentRequest, isShell: boolean) {
  const { extraction } = content
  const { schema } = request.wanted
  if (schema === undefined || extraction === undefined) return { content, modelInput: null }
  const { validatorOf } = await import('@tidemark/schema/validator')
  const validate = validatorOf(schema)
  const errorsOf = (data: JsonObject) => validate(withoutNulls(data, schema))
  if (request.byModel) {
    const made = contentByModel(content, request, request.byModel, errorsOf)
    // A page that another backend will fetch again is not sent.
    return isShell || content.challenge !== null ? { ...made, modelInput: null } : made
  }
  const errors = errorsOf(extraction.data)
  return {
    content: { ...content, extraction: { ...extraction, valid: errors.length === 0, errors } },
    modelInput: null,
  }
}

/** Adds the chunks of the Markdown as the client receives it, which may be truncated. */
async function withChunks(content: Content, { chunks: options }: Wanted): Promise<Content> {
  const { markdown } = content
  if (options === undefined || markdown === undefined) return content
  const { max_tokens: maxTokens, overlap = 0 } = options
  const { countTokens } = await import('@tidemark/chunks/o200k')
  const { chunks, isCut } = chunksOf(markdown, { maxTokens, overlap }, countTokens)
  const views = chunks.map(({ headingPath, isPart, ...chunk }) => ({
    ...chunk,
    heading_path: headingPath,
    is_part: isPart,
  }))
  const warnings = isCut ? [`chunks are limited to the first ${maxChunks}`] : []
  return { ...content, chunks: views, warnings: [...content.warnings, ...warnings] }
}

async function commonmarkWriter(): Promise<WriteCommonmark> {
  const [{ default: turndown }, { commonmarkBy }] = await Promise.all([
    import('turndown'),
    import('../domain/commonmark.ts'),
  ])
  return commonmarkBy(turndown)
}
