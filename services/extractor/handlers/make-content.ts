/** Makes the content of one page: what its thread does for each. A page that says no language is asked for it. */
import type { Content } from '@tidemark/contracts/ask/content'
import { languageOf } from '@tidemark/html/language/guess'
import { type ContentQuestion, contentOf, openPage, wordsToGuessBy } from '../domain/content.ts'

export async function makeContent(question: ContentQuestion): Promise<Content> {
  const page = openPage(question)
  const words = wordsToGuessBy(page)
  return contentOf(page, words === null ? null : await languageOf(words))
}
