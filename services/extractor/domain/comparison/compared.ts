/**
 * The parts of a page that count when it is compared, by the rules of its crawl. The comparison hash and the comparison
 * by lines share them, so that lines differ exactly where the hash does.
 */
import { hash } from 'node:crypto'
import type { CompareRules } from '@tidemark/contracts/run-settings'
import type { PageFacts } from '@tidemark/html/page-facts'
import { readPage } from '@tidemark/html/read-page'
import { baseOf } from '@tidemark/html/tree/base-of'
import { parseTree } from '@tidemark/html/tree/parse-tree'
import { pruneTree } from '@tidemark/html/tree/pruned'
import { collapse } from '@tidemark/html/tree/raw-text'
import { writeHtml } from '@tidemark/html/tree/write-html'
import { createResolver } from '@tidemark/url/resolver'
import { compileTextPatterns, type TextPatterns } from '@tidemark/url/text-patterns'
import type { Document } from 'domhandler'
import { textLines } from './text-lines.ts'

/** Approximate characters that are searched without a pause. */
const charactersAtOnce = 16_384

/** Removes the elements that do not count from a tree, in steps. */
export const pruneByRules = (
  tree: Document,
  { ignoreSelectors = [], onlySelectors = [] }: CompareRules,
): Generator<void, void> => pruneTree(tree, { ignore: ignoreSelectors, only: onlySelectors })

/** Returns the patterns of the text that does not count, for one page, or null without any. */
export const textPatternsOf = ({ ignoreText = [] }: CompareRules): TextPatterns | null =>
  ignoreText.length === 0 ? null : compileTextPatterns(ignoreText)

/** Non-breaking spaces. They look like other spaces, so a space in a pattern matches them too. */
const noBreak = /[\u00a0\u2007\u202f]/

function withoutMatches(text: string, patterns: TextPatterns): string {
  const rest = patterns.remove(text)
  if (rest !== text || !noBreak.test(text)) return rest
  const spaced = text.replaceAll(new RegExp(noBreak, 'g'), ' ')
  const spacedRest = patterns.remove(spaced)
  return spacedRest === spaced ? text : spacedRest
}

/**
 * Returns lines without the text that does not count, and without the lines that become empty, in steps.
 * @param plainOf removes the markup of a line, which would divide its text for a pattern
 */
export function* linesByRules(
  lines: readonly string[],
  patterns: TextPatterns | null,
  plainOf = (line: string): string => line,
): Generator<void, string[]> {
  if (patterns === null) return [...lines]
  const kept: string[] = []
  let searched = 0
  for (const line of lines) {
    const plain = plainOf(line)
    const without = withoutMatches(plain, patterns)
    const rest = without === plain && plain !== line ? patterns.remove(line) : without
    if (rest === line) kept.push(line)
    else if (collapse(rest) !== '') kept.push(collapse(rest))
    searched += line.length
    if (searched < charactersAtOnce) continue
    searched = 0
    yield
  }
  return kept
}

/**
 * Returns the hash of the parts of an HTML page that count: text, statements for search engines, and links. Works in
 * steps.
 */
export function* comparisonHash(html: string, url: string, rules: CompareRules): Generator<void, string> {
  const tree = parseTree(html)
  yield
  const base = baseOf(tree, url)
  yield* pruneByRules(tree, rules)
  const patterns = textPatternsOf(rules)
  const lines = yield* linesByRules(textLines(tree).split('\n'), patterns)
  yield
  const facts = yield* readPage(writeHtml(tree), { url: base, resolve: createResolver(base) })
  const statements = yield* linesByRules(statementsOf(facts), patterns)
  return hash('sha256', JSON.stringify([lines, statements]))
}

/** Returns all statements and links as texts, so that patterns also remove what they match in them. */
const statementsOf = ({ metadata, refresh, robotsMeta, hreflang, links }: PageFacts): string[] => [
  ...Object.entries(metadata).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
  `refresh: ${refresh}`,
  `robots: ${robotsMeta.toSorted().join()}`,
  ...Object.entries(hreflang)
    .map(([language, href]) => `hreflang ${language.toLowerCase()}: ${href}`)
    .sort(),
  ...links.map(({ href }) => href),
]

/** Returns a short text that is equal for equal rules. */
export const nameOfRules = (rules: CompareRules): string =>
  hash('sha256', JSON.stringify([rules.ignoreSelectors, rules.onlySelectors, rules.ignoreText])).slice(0, 16)
