/** Validates the origins of web pages in the settings. */

/** Returns why a text is not an origin (RFC 6454, 6.2), or null. */
export function originFault(text: string): string | null {
  const isOrigin = text === '*' || (URL.parse(text)?.origin === text && /^https?:[^*]*$/.test(text))
  return isOrigin ? null : 'must be * or an origin such as https://app.example.com, without a path'
}
