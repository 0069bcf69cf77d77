/** `include_paths` and `exclude_paths`: patterns that can be searched in linear time, and not too many. */
import type { CrawlRequest } from '@tidemark/contracts/http/crawls'
import { checkPatterns } from '@tidemark/url/patterns'
import { type FieldRule, refusal, without } from './field-rule.ts'

const fields = ['include_paths', 'exclude_paths'] as const

/** Of all patterns of a request together: reading them takes a microsecond each. */
const mostCharacters = 200_000

export const pathPatterns: FieldRule = request => {
  const characters = fields
    .flatMap(field => request[field] ?? [])
    .reduce((sum, { length }) => sum + length, 0)
  if (characters > mostCharacters) {
    const message = `All patterns together may have ${mostCharacters} characters; ${characters} were sent.`
    throw refusal(request.include_paths ? 'include_paths' : 'exclude_paths', 'out_of_range', message)
  }
  return fields.reduce(judge, request)
}

function judge(request: CrawlRequest, field: (typeof fields)[number]): CrawlRequest {
  const patterns = request[field]
  if (patterns === undefined) return request
  if (patterns.length === 0) return without(request, field)
  const checked = checkPatterns(patterns)
  if (!checked.ok) throw refusal(`${field}[${checked.at}]`, 'bad_regex', checked.because)
  return request
}
