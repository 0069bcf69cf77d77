/** Why an address cannot be crawled whatever stands behind it, or null. It is stored as it was given. */
import { maxUrlLength, normalForm } from '@tidemark/url/normal-form'

export function unusable(url: string): string | null {
  const fault = unreadable(url)
  if (fault !== null) return fault
  if (!/^https?:\/\//i.test(url)) return 'it must begin with http:// or https://'
  if (normalForm(url) === null) return 'it cannot be read, or is too long'
  return null
}

/** Why a text is no address of any scheme, as far as its characters tell; null where they do not. */
export function unreadable(text: string): string | null {
  if (text.length > maxUrlLength) return `it is longer than ${maxUrlLength} characters`
  if (!text.isWellFormed()) return 'it is not valid Unicode'
  if (/\p{Cc}/u.test(text)) return 'it contains a control character'
  return null
}

/** As an answer repeats what was sent as an address, which may be as long as a request. */
export const toldAddress = (sent: string): string => sent.slice(0, maxUrlLength)
