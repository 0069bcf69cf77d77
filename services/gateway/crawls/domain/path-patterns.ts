/** `include_paths` and `exclude_paths`: patterns that can be searched in linear time, and not too many. */
import type { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import type { Checked, PatternLists } from '@tidemark/url/patterns'
import type { ApiProblem } from '../../http/domain/problem.ts'
import { refusal } from '../../http/domain/refusal.ts'
import { type FieldRule, without } from './field-rule.ts'

const fields = ['include_paths', 'exclude_paths'] as const

/** Maximum length of all patterns of a request together: reading them takes a microsecond each. */
const maxCharacters = 200_000
/** Patterns of so few characters, without Unicode classes, are read within two milliseconds. */
const fewCharacters = 500

/** `refusalOf` checks the patterns themselves later, because that may take long. */
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
}: Pick<CrawlRequest, (typeof fields)[number]>): PatternLists => ({ include, exclude })

/** Whether the thread that serves requests may read them itself. */
export const areQuicklyRead = (lists: PatternLists): boolean =>
  charactersOf(lists) <= fewCharacters && !allOf(lists).some(pattern => /\\[pP]/.test(pattern))

/** Null if the patterns are valid. */
export function refusalOf(checked: Checked): ApiProblem | null {
  if (checked.ok) return null
  const { list, at, because } = checked
  return refusal(`${list}_paths[${at}]`, 'bad_regex', because)
}

const charactersOf = (lists: PatternLists): number =>
  allOf(lists).reduce((sum, { length }) => sum + length, 0)

const allOf = ({ include = [], exclude = [] }: PatternLists): string[] => [...include, ...exclude]
