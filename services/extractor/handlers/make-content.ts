/**
 * Makes the content of one page: what its thread does for each. What only some pages need is loaded for the first of
 * them: the words of languages, for a page that says none, and the writer of CommonMark.
 */
import type { Content } from '@tidemark/contracts/ask/content'
import { languageOf } from '@tidemark/html/language/guess'
import type { WriteCommonmark } from '../domain/commonmark.ts'
import { type ContentQuestion, contentOf, isShell, openPage, wordsToGuessBy } from '../domain/content.ts'

export type Made = {
  content: Content
  /** Whether only scripts would make what there is to read; see `domain/script-shell.ts`. */
  isShell: boolean
}

export async function makeContent(question: ContentQuestion): Promise<Made> {
  const page = openPage(question)
  const words = wordsToGuessBy(page)
  const guessed = words === null ? null : await languageOf(words)
  const commonmark = question.wanted.commonmark ? await commonmarkWriter() : null
  return { content: contentOf(page, { guessed, commonmark }), isShell: isShell(page) }
}

async function commonmarkWriter(): Promise<WriteCommonmark> {
  const [{ default: turndown }, { commonmarkBy }] = await Promise.all([
    import('turndown'),
    import('../domain/commonmark.ts'),
  ])
  return commonmarkBy(turndown)
}
