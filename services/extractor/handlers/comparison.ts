/** Compares two stored bodies of a page in a readable form. */

import type { DiffMode, TextDifference } from '@tidemark/contracts/http/page-diff'
import type { Wanted } from '@tidemark/contracts/rpc/content'
import type { CompareRules } from '@tidemark/contracts/run-settings'
import { baseOf } from '@tidemark/html/tree/base-of'
import { allSteps } from '../concurrency/in-steps.ts'
import { linesByRules, pruneByRules, textPatternsOf } from '../domain/comparison/compared.ts'
import { textLines } from '../domain/comparison/text-lines.ts'
import { contentOf, type OpenPage, openPage } from '../domain/content.ts'
import type { ContentRequest } from '../domain/content-request.ts'
import { textDifference } from './text-difference.ts'

type Side = Omit<ContentRequest, 'wanted'>
export type ComparisonRequest = {
  mode: DiffMode
  old: Side
  new: Side
  /** Rules for HTML pages. Default: everything counts. */
  rules?: CompareRules | undefined
}

const wanted: Wanted = { html: false, markdown: 'page', article: false, signals: false, anchors: false }

/** Reads the sides one after the other, so that only one of the trees is in memory. */
export function comparisonOf({ mode, old, new: fresh, rules }: ComparisonRequest): TextDifference {
  const [before, after] = [readable(old, mode, rules), readable(fresh, mode, rules)]
  const difference = textDifference(before.text, after.text)
  return { ...difference, truncated: difference.truncated || before.isCut || after.isCut }
}

type Readable = { text: string; isCut: boolean }

function readable(side: Side, mode: DiffMode, rules: CompareRules | undefined): Readable {
  const page = openPage({ ...side, wanted })
  const tree = page.html?.tree ?? null
  if (rules === undefined || tree === null) return textOf(page, mode)
  // The element with the base may be removed.
  const url = baseOf(tree, side.url)
  allSteps(pruneByRules(tree, rules))
  const { text, isCut } = textOf({ ...page, request: { ...page.request, url } }, mode)
  const plainOf = mode === 'markdown' ? withoutEmphasis : undefined
  const lines = linesByRules(text.split('\n'), textPatternsOf(rules), plainOf)
  return { text: allSteps(lines).join('\n'), isCut }
}

/** Removes emphasis, so that a pattern also matches text of which a part is emphasised. */
const withoutEmphasis = (line: string): string => line.replaceAll(/[*_`]+/g, '')

function textOf(page: OpenPage, mode: DiffMode): Readable {
  const { html } = page
  if (mode === 'text' && html !== null && html.tree !== null)
    return { text: textLines(html.tree), isCut: html.read.length < html.whole.length }
  const { markdown = '', warnings } = contentOf(page, { guessed: null, commonmark: null })
  return { text: markdown, isCut: warnings.some(warning => cuts.test(warning)) }
}

/** The warnings of contents that are truncated or missing. */
const cuts = /^only the first|^markdown was truncated|\bPDF\b|^corrupt pages/
