/** `user_agent`: uses that of the client, unless it is empty or names the internal crawler. */
import { assertUserAgent } from '../../reading/domain/user-agent.ts'
import { type FieldRule, without } from './field-rule.ts'

const internal = 'InternalCrawler/'

export const userAgent: FieldRule = request => {
  const { user_agent: given } = request
  if (given === undefined) return request
  assertUserAgent(given)
  const text = given.trim()
  return text === '' || text.startsWith(internal)
    ? without(request, 'user_agent')
    : { ...request, user_agent: text }
}
