/** Validates addresses by their text. They are stored unchanged. Returns why an address cannot be crawled, or null. */
import { maxUrlLength, normalForm } from '@tidemark/url/normal-form'

export function unusable(url: string): string | null {
  const fault = unreadable(url)
  if (fault !== null) return fault
  if (!/^https?:\/\//i.test(url)) return 'it must begin with http:// or https://'
  if (normalForm(url) === null) return 'it cannot be read, or is too long'
  return null
}

/** Returns the fault of a text that no address may have, whatever its scheme: its length or a character. Null: none. */
export function unreadable(text: string): string | null {
  if (text.length > maxUrlLength) return `it is longer than ${maxUrlLength} characters`
  if (!text.isWellFormed()) return 'it is not valid Unicode'
  if (/\p{Cc}/u.test(text)) return 'it contains a control character'
  return null
}

/** Shortens a sent address for answers that repeat it: it may be as long as a request. */
export const shownAddress = (sent: string): string => sent.slice(0, maxUrlLength)
