/**
 * Whether a page forbids following its links, in its own `<meta name="robots">` or in the header X-Robots-Tag. A header
 * directive after a crawler's name applies to that crawler only.
 */

const silencing = new Set(['nofollow', 'none'])

/** Directives with a value, whose colon does not end a crawler's name. */
const withValue = new Set(['max-snippet', 'max-image-preview', 'max-video-preview', 'unavailable_after'])

/**
 * @param directives of the page's robots metas, in lower case
 * @param header X-Robots-Tag with repeated fields joined by commas, or null
 * @param token the product token by which the header may address this crawler
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
