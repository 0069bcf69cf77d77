/** Validates the `user_agent` of a request for its use in a header. */
import { refusal } from '../../http/domain/refusal.ts'

/** Field content of RFC 9110, 5.5: no control characters except the tab. */
const value = /^[\t\x20-\x7e\x80-\xff]*$/

/** Returns whether a text can be the value of a header. */
export const isFieldValue = (text: string): boolean => value.test(text)

/** Throws `ApiProblem` for a value that cannot be sent in a header. */
export function assertUserAgent(given: string | undefined): void {
  if (given === undefined || isFieldValue(given)) return
  throw refusal('user_agent', 'bad_value', 'user_agent contains characters that are not allowed in headers.')
}
