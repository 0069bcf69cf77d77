/** Text of strangers, as it may be stored: what no table takes and what nobody may read is taken out. */

/** Postgres keeps no NUL in text; an address or a title may have one. */
export const textOf = <Text extends string | null>(text: Text): Text =>
  text?.includes('\0') ? (text.replaceAll('\0', '') as Text) : text

/**
 * What units were spent on, mostly an address as a client gave it: without control characters, half characters and
 * the user and password of an address; at most so many bytes of UTF-8, and no half character at the cut.
 */
export function spentOn(text: string, mostBytes: number): string {
  const plain = text.toWellFormed().replace(/\p{Cc}/gu, '')
  return cut(plain.replace(userInfo, '$1'), mostBytes)
}

/** Up to the last `@` before path, query and fragment, where a reader of addresses looks for it (WHATWG URL, 4.4). */
const userInfo = /^(\s*(?:[a-z][a-z\d+.-]*:)?[\\/]*)[^\\/?#]*@/i

const encoder = new TextEncoder()
const decoder = new TextDecoder()

function cut(text: string, mostBytes: number): string {
  const room = new Uint8Array(mostBytes)
  const { read, written } = encoder.encodeInto(text, room)
  return read === text.length ? text : decoder.decode(room.subarray(0, written))
}
