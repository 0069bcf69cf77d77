/** `user_agent`: the client's own, unless it names none or the crawler that stands for a browser's. */
import { type FieldRule, refusal, without } from './field-rule.ts'
import { isFieldValue } from './own-headers.ts'

const internal = 'InternalCrawler/'

/** Throws `ApiProblem` for one that could not be sent in a header. */
export function assertUserAgent(given: string | undefined): void {
  if (given === undefined || isFieldValue(given)) return
  throw refusal('user_agent', 'bad_value', 'user_agent has characters that no header may have.')
}

export const userAgent: FieldRule = request => {
  const { user_agent: given } = request
  if (given === undefined) return request
  assertUserAgent(given)
  const text = given.trim()
  return text === '' || text.startsWith(internal)
    ? without(request, 'user_agent')
    : { ...request, user_agent: text }
}
