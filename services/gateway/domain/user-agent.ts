/** `user_agent`: the client's own, unless it names none or the crawler that stands for a browser's. */
import { type FieldRule, refusal, without } from './field-rule.ts'
import { isFieldValue } from './own-headers.ts'

const internal = 'InternalCrawler/'

export const userAgent: FieldRule = request => {
  const { user_agent: given } = request
  if (given === undefined) return request
  if (!isFieldValue(given)) {
    throw refusal('user_agent', 'bad_value', 'user_agent has characters that no header may have.')
  }
  const text = given.trim()
  return text === '' || text.startsWith(internal)
    ? without(request, 'user_agent')
    : { ...request, user_agent: text }
}
