/** Origins of web pages, as the installation names them. */

/** What is wrong with a text as an origin (RFC 6454, 6.2), or null. */
export function originFault(text: string): string | null {
  const isOrigin = text === '*' || (URL.parse(text)?.origin === text && /^https?:[^*]*$/.test(text))
  return isOrigin ? null : 'must be * or an origin such as https://app.example.com, without a path'
}
