/** Writes an object as JSON in pieces, so that the escaped form of a large text is never in memory as a whole. */

/** UTF-16 code units of a text that are escaped at once. Each becomes up to 6 characters. */
const sliceLength = 64 * 1024

/**
 * Yields the text that `JSON.stringify` returns, in pieces. Members that are texts are escaped slice by slice, and lists
 * item by item. No piece ends within a surrogate pair, so each can be encoded on its own.
 */
export function* jsonPieces(members: object, length = sliceLength): Generator<string> {
  let waiting = ''
  for (const part of partsOf(members, length)) {
    waiting += part
    if (waiting.length < length) continue
    yield waiting
    waiting = ''
  }
  yield waiting
}

function* partsOf(members: object, length: number): Generator<string> {
  let before = ''
  yield '{'
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    before = ','
    if (typeof value === 'string') yield* escapedSlices(value, length)
    else if (Array.isArray(value)) yield* itemsOf(value)
    else yield JSON.stringify(value)
  }
  yield '}'
}

function* itemsOf(items: readonly unknown[]): Generator<string> {
  yield '['
  for (const [n, item] of items.entries()) yield `${n === 0 ? '' : ','}${JSON.stringify(item) ?? 'null'}`
  yield ']'
}

function* escapedSlices(text: string, length: number): Generator<string> {
  yield '"'
  for (let at = 0; at < text.length; ) {
    const end = Math.min(at + length, text.length)
    const next = isWithinPair(text, end) ? end + 1 : end
    yield JSON.stringify(text.slice(at, next)).slice(1, -1)
    at = next
  }
  yield '"'
}

/** Half of a pair would become an escape (`\ud83d`), as lone surrogates do. */
const isWithinPair = (text: string, at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff
