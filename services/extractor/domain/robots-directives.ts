/**
 * Whether a page asks that its links be not followed: in its own `<meta name="robots">`, or in the header
 * X-Robots-Tag. A header's directive behind the name of a crawler is meant for that one alone.
 */

const silencing = new Set(['nofollow', 'none'])

/** Directives that have a value of their own, and so a colon that names no crawler. */
const withValue = new Set(['max-snippet', 'max-image-preview', 'max-video-preview', 'unavailable_after'])

/**
 * @param directives of the page's robots meta elements, in lower case
 * @param header X-Robots-Tag with repeated fields joined by commas, or null
 * @param token the product token by which the header may name us
 */
export const forbidsFollowing = (
  directives: readonly string[],
  header: string | null,
  token: string,
): boolean =>
  directives.some(directive => silencing.has(directive)) ||
  (header !== null && headerForbids(header, token.toLowerCase()))

function headerForbids(header: string, token: string): boolean {
  let forEverybody = true
  for (const field of header.toLowerCase().split(',')) {
    const [name = '', value] = field.split(':', 2).map(part => part.trim())
    const namesCrawler = value !== undefined && !withValue.has(name)
    if (namesCrawler) forEverybody = name === token
    if (forEverybody && silencing.has(namesCrawler ? value : name)) return true
  }
  return false
}
