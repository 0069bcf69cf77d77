/** `include_paths`, `exclude_paths` and `ignore_text`: limits the total length of the patterns. */
import type { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import type { Checked, PatternLists } from '@tidemark/url/patterns'
import { refusal } from '../../http/domain/refusal.ts'
import { type FieldRule, without } from './field-rule.ts'

const fields = ['include_paths', 'exclude_paths'] as const

/** Maximum number of characters of all patterns of a request. Parsing takes about a microsecond per character. */
const maxCharacters = 200_000
/** Patterns with fewer characters and without Unicode classes are parsed within two milliseconds. */
const fewCharacters = 500

/** Checks the length only. The patterns are parsed later, because that may take long. */
export const pathPatterns: FieldRule = request => {
  const characters = charactersOf(listsOf(request))
  if (characters > maxCharacters) {
    const message = `All patterns together may have ${maxCharacters} characters; ${characters} were sent.`
    throw refusal(request.include_paths ? 'include_paths' : 'exclude_paths', 'out_of_range', message)
  }
  return without(request, ...fields.filter(field => request[field]?.length === 0))
}

export const listsOf = ({
  include_paths: include = [],
  exclude_paths: exclude = [],
  ignore_text: text = [],
}: Pick<CrawlRequest, (typeof fields)[number] | 'ignore_text'>): PatternLists => ({ include, exclude, text })

/** Returns whether the patterns can be parsed on the thread that serves requests. */
export const areQuicklyRead = (lists: PatternLists): boolean =>
  charactersOf(lists) <= fewCharacters && !allOf(lists).some(pattern => /\\[pP]/.test(pattern))

/** Throws `ApiProblem` (`bad_regex`) that names the first invalid pattern. */
export function assertValid(checked: Checked): void {
  if (checked.ok) return
  const { list, at, because } = checked
  const field = list === 'text' ? 'ignore_text' : `${list}_paths`
  throw refusal(`${field}[${at}]`, 'bad_regex', because)
}

const charactersOf = (lists: PatternLists): number =>
  allOf(lists).reduce((sum, { length }) => sum + length, 0)

const allOf = ({ include = [], exclude = [], text = [] }: PatternLists): string[] => [
  ...include,
  ...exclude,
  ...text,
]
