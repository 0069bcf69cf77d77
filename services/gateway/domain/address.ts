/** Why an address cannot be crawled whatever stands behind it, or null. It is stored as it was given. */
import { normalForm } from '@tidemark/url/normal-form'

export function unusable(url: string): string | null {
  if (!url.isWellFormed()) return 'it is not valid Unicode'
  if (/\p{Cc}/u.test(url)) return 'it contains a control character'
  if (!/^https?:\/\//i.test(url)) return 'it must begin with http:// or https://'
  if (normalForm(url) === null) return 'it cannot be read, or is too long'
  return null
}
