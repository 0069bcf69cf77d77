/**
 * Decodes character references (`&amp;`, `&#8217;`) by the WHATWG standard with the tokenizer's decoder. The page
 * itself is tokenized without decoding, so only kept text has this cost.
 */
import { Tokenizer } from 'htmlparser2'

/** Decodes text between tags. */
export const decodeText = (text: string): string => decode(text, ofText)

/** Decodes an attribute's value, where `&copy=` is unchanged. */
export const decodeAttribute = (value: string): string => decode(value, ofAttribute)

type Kind = { before: string; after: string; known: Map<string, string> }

const ofText: Kind = { before: '', after: '', known: new Map() }
const ofAttribute: Kind = { before: '<a b="', after: '">', known: new Map() }

function decode(text: string, kind: Kind): string {
  let start = text.indexOf('&')
  if (start === -1) return text
  let out = text.slice(0, start)
  while (start !== -1) {
    const end = referenceEnd(text, start)
    out += decodeReference(text.slice(start, end), kind)
    start = text.indexOf('&', end)
    out += text.slice(end, start === -1 ? text.length : start)
  }
  return out
}

/**
 * Returns the end of the reference that may start at `start`, including the character that may decide its meaning.
 */
function referenceEnd(text: string, start: number): number {
  let end = start + 1
  while (isOfReference(text.charCodeAt(end))) end += 1
  const next = text.charCodeAt(end)
  const decides = next === 0x3b || next === 0x3d // `;` ends it, `=` may cancel it
  return decides ? end + 1 : end
}

/** Returns whether a character may be part of a reference: letters, digits and `#`. */
function isOfReference(code: number): boolean {
  if (code >= 0x30 && code <= 0x39) return true
  const lower = code | 0x20
  return (lower >= 0x61 && lower <= 0x7a) || code === 0x23
}

/**
 * Decodes one reference. Results are cached, because few references make up nearly all. Only short ones are cached,
 * up to a limit.
 */
function decodeReference(reference: string, kind: Kind): string {
  const known = kind.known.get(reference)
  if (known !== undefined) return known
  const copy = Buffer.from(reference).toString() // a slice would keep the whole page in memory
  const decoded = tokenize(kind.before + copy + kind.after)
  if (copy.length > maxKeptLength) return decoded
  if (kind.known.size >= 256) kind.known.clear()
  kind.known.set(copy, decoded)
  return decoded
}

const maxKeptLength = 16

let source = ''
let output = ''

const ignore = (): void => {}
const append = (start: number, end: number): void => {
  output += source.slice(start, end)
}
const appendPoint = (codePoint: number): void => {
  output += String.fromCodePoint(codePoint)
}

const tokenizer = new Tokenizer(
  { decodeEntities: true },
  {
    ontext: append,
    ontextentity: appendPoint,
    onattribdata: append,
    onattribentity: appendPoint,
    onattribname: ignore,
    onattribend: ignore,
    onopentagname: ignore,
    onopentagend: ignore,
    onselfclosingtag: ignore,
    onclosetag: ignore,
    oncdata: ignore,
    oncomment: ignore,
    ondeclaration: ignore,
    onprocessinginstruction: ignore,
    onend: ignore,
  },
)

function tokenize(text: string): string {
  source = text
  output = ''
  tokenizer.reset()
  tokenizer.write(text)
  tokenizer.end()
  return output
}
