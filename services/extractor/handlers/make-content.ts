/**
 * Makes the content of one page: the work of its thread. Modules that only some pages need are loaded on first use:
 * language profiles, and the CommonMark renderer.
 */
import type { Content } from '@tidemark/contracts/rpc/content'
import { languageOf } from '@tidemark/html/language/guess'
import type { WriteCommonmark } from '../domain/commonmark.ts'
import { contentOf, isShell, openPage, wordsToGuessBy } from '../domain/content.ts'
import type { ContentQuestion } from '../domain/content-question.ts'

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
  return { content: contentOf(page, { guessed, commonmark }), isShell: isShell(page) }
}

async function commonmarkWriter(): Promise<WriteCommonmark> {
  const [{ default: turndown }, { commonmarkBy }] = await Promise.all([
    import('turndown'),
    import('../domain/commonmark.ts'),
  ])
  return commonmarkBy(turndown)
}
