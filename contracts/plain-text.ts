/** Cleans untrusted text before it is stored: removes characters that Postgres rejects, and credentials. */

/** Removes NUL, which Postgres does not store in text; URLs and titles may contain it. */
export const textOf = <Text extends string | null>(text: Text): Text =>
  text?.includes('\0') ? (text.replaceAll('\0', '') as Text) : text

/**
 * Returns the target of a request, usually a URL from a client, without control characters, lone surrogates and
 * the user and password of a URL. The result has a limited number of UTF-8 bytes and is cut between characters.
 */
export function spentOn(text: string, maxBytes: number): string {
  const plain = text.toWellFormed().replace(/\p{Cc}/gu, '')
  return cut(replaceUser(plain, ''), maxBytes)
}

/** Replaces the user and password of a URL and the `@` behind them. Any other text stays the same. */
export function replaceUser(url: string, by: string): string {
  // The pattern has no blanks before the URL, because a user may have blanks too: it would try every division of them.
  const address = url.trimStart()
  return url.slice(0, url.length - address.length) + address.replace(userInfo, (_, before) => before + by)
}

/** Matches up to the last `@` before path, query and fragment, where URL parsers look for it (WHATWG URL, 4.4). */
const userInfo = /^((?:[a-z][a-z\d+.-]*:)?[\\/]*)[^\\/?#]*@/i

const encoder = new TextEncoder()
const decoder = new TextDecoder()

function cut(text: string, maxBytes: number): string {
  const buffer = new Uint8Array(maxBytes)
  const { read, written } = encoder.encodeInto(text, buffer)
  return read === text.length ? text : decoder.decode(buffer.subarray(0, written))
}
