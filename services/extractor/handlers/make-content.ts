/**
 * Makes the content of one page: the work of its thread. Modules that only some pages need are loaded on first use:
 * language profiles, the CommonMark renderer, and the ranks of tokens.
 */
import { chunksOf, maxChunks } from '@tidemark/chunks/chunks'
import type { Content, Wanted } from '@tidemark/contracts/rpc/content'
import { languageOf } from '@tidemark/html/language/guess'
import type { WriteCommonmark } from '../domain/commonmark.ts'
import { contentOf, isShell, openPage, wordsToGuessBy } from '../domain/content.ts'
import type { ContentQuestion } from '../domain/content-question.ts'
import { withoutNulls } from '../domain/extract/extraction.ts'

export type Made = {
  content: Content
  /** Whether only scripts would make the content; see `domain/script-shell.ts`. */
  isShell: boolean
}

export async function makeContent(question: ContentQuestion): Promise<Made> {
  const page = openPage(question)
  const words = wordsToGuessBy(page)
  const guessed = words === null ? null : await languageOf(words)
  const commonmark = question.wanted.commonmark ? await commonmarkWriter() : null
  const content = contentOf(page, { guessed, commonmark })
  const complete = await withChunks(await checked(content, question.wanted), question.wanted)
  return { content: complete, isShell: isShell(page) }
}

/** Checks the extracted object by its schema. */
async function checked(content: Content, { schema }: Wanted): Promise<Content> {
  const { extraction } = content
  if (schema === undefined || extraction === undefined) return content
  const { validatorOf } = await import('@tidemark/schema/validator')
  const errors = validatorOf(schema)(withoutNulls(extraction.data, schema))
  return { ...content, extraction: { ...extraction, valid: errors.length === 0, errors } }
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
