/** Compares two stored bodies of a page in a readable form. */

import type { DiffMode, TextDifference } from '@tidemark/contracts/http/page-diff'
import type { Wanted } from '@tidemark/contracts/rpc/content'
import { contentOf, openPage } from '../domain/content.ts'
import type { ContentQuestion } from '../domain/content-question.ts'
import { textLines } from '../domain/text-lines.ts'
import { textDifference } from './text-difference.ts'

type Side = Omit<ContentQuestion, 'wanted'>
export type ComparisonQuestion = { mode: DiffMode; old: Side; new: Side }

const wanted: Wanted = { html: false, markdown: 'page', article: false, signals: false, anchors: false }

/** Sequential, so that only one of the trees is in memory. */
export function comparisonOf({ mode, old, new: fresh }: ComparisonQuestion): TextDifference {
  const [before, after] = [readable(old, mode), readable(fresh, mode)]
  const difference = textDifference(before.text, after.text)
  return { ...difference, truncated: difference.truncated || before.isCut || after.isCut }
}

function readable(side: Side, mode: DiffMode): { text: string; isCut: boolean } {
  const page = openPage({ ...side, wanted })
  const { html } = page
  if (mode === 'text' && html !== null && html.tree !== null)
    return { text: textLines(html.tree), isCut: html.read.length < html.whole.length }
  const { markdown = '', warnings } = contentOf(page, { guessed: null, commonmark: null })
  return { text: markdown, isCut: warnings.some(warning => cuts.test(warning)) }
}

/** The warning of truncated contents. */
const cuts = /^only the first|^markdown was truncated/
