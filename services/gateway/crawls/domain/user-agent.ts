/** `user_agent`: uses the value that the client sent, unless it is empty or names the internal crawler. */
import { assertUserAgent } from '../../live-pages/domain/user-agent.ts'
import { type FieldRule, without } from './field-rule.ts'

const internal = 'InternalCrawler/'

export const userAgent: FieldRule = request => {
  const { user_agent: given } = request
  if (given === undefined) return request
  assertUserAgent(given)
  const named = namedAgent(given)
  return named === null ? without(request, 'user_agent') : { ...request, user_agent: named }
}

/** Returns the trimmed name; null if it is empty or names the internal crawler. */
export function namedAgent(text: string): string | null {
  const trimmed = text.trim()
  return trimmed === '' || trimmed.startsWith(internal) ? null : trimmed
}
