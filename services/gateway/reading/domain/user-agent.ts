/** The `user_agent` that a client wants sent: it must be able to stand in a header. */
import { refusal } from '../../http/domain/refusal.ts'

/** Field content of RFC 9110, 5.5: no control characters but the tab. */
const value = /^[\t\x20-\x7e\x80-\xff]*$/

/** Whether a text may be the value of a header, which nothing but a line of its own can be. */
export const isFieldValue = (text: string): boolean => value.test(text)

/** Throws `ApiProblem` for one that could not be sent in a header. */
export function assertUserAgent(given: string | undefined): void {
  if (given === undefined || isFieldValue(given)) return
  throw refusal('user_agent', 'bad_value', 'user_agent contains characters that are not allowed in headers.')
}
