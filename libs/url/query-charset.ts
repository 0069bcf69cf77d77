/**
 * Encodes the queries of a page's links in the encoding of the page, as browsers do (WHATWG URL, percent-encode after
 * encoding). A site in an old encoding does not recognize the letters of a query in UTF-8.
 */
import { maxUrlLength } from './normal-form.ts'
import type { Resolve } from './resolver.ts'

type CreateResolver = (pageUrl: string) => Resolve
/** Maps a letter to its bytes, as they are written in a URL. */
type Table = ReadonlyMap<string, string>

const oneByte = /^(?:windows-\d+|iso-8859-\d+(?:-i)?|koi8-[ru]|macintosh|x-mac-cyrillic|ibm866)$/
/** First lead byte of each encoding of two bytes. Browsers do not write letters with a lower lead byte. */
const firstLead: Readonly<Record<string, number>> = {
  gbk: 0x81,
  gb18030: 0x81,
  shift_jis: 0x81,
  'euc-kr': 0x81,
  'euc-jp': 0x8e,
  big5: 0xa1,
}
/**
 * Letters with two codes in Big5 of which browsers write the second. Of other such letters, browsers write the first.
 */
const secondOfBig5 = new Set('═╞╡╫╪╬十卅')
/** Lead bytes of Shift_JIS that browsers never write, because the same letters have codes with other lead bytes. */
const unwritten = new Set([0xed, 0xee])

/** The tables of the encodings of the pages so far, of at most some 24,000 letters each. */
const tables = new Map<string, Table>()

/**
 * Returns `createResolver` for a page in this encoding. Encodings without a table here keep UTF-8: ISO-2022-JP, which
 * has no bytes of its own for a letter, and encodings for which the standard demands UTF-8.
 * @param charset WHATWG name in lower case
 */
export function resolverIn(charset: string, createResolver: CreateResolver): CreateResolver {
  const written = queriesIn(charset)
  if (written === null) return createResolver
  return pageUrl => {
    const resolve = createResolver(pageUrl)
    return href => resolve(written(href))
  }
}

/**
 * Returns a function that returns an address as written in a page, with its query in the encoding of the page. Null for
 * encodings without a table here.
 * @param charset WHATWG name in lower case
 */
export function queriesIn(charset: string): ((href: string) => string) | null {
  if (!oneByte.test(charset) && firstLead[charset] === undefined) return null
  return href => (href.length > maxUrlLength || isAscii(href) ? href : withQueryIn(charset, href))
}

function withQueryIn(charset: string, href: string): string {
  const start = href.search(/[?#]/)
  if (start === -1 || href[start] === '#') return href
  const hash = href.indexOf('#', start)
  const end = hash === -1 ? href.length : hash
  const query = href.slice(start, end)
  if (isAscii(query)) return href
  const table = tables.get(charset) ?? tableOf(charset)
  const written = Array.from(query, letter => (isAscii(letter) ? letter : escaped(table, letter)))
  return `${href.slice(0, start)}${written.join('')}${href.slice(end)}`
}

/** A letter that the encoding lacks is written as its number in HTML. */
const escaped = (table: Table, letter: string): string =>
  table.get(letter) ?? `%26%23${letter.codePointAt(0)}%3B`

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text)

/** Returns the letters of an encoding by decoding all its bytes, which takes some milliseconds. */
function tableOf(charset: string): Table {
  const table = new Map<string, string>()
  const decoder = new TextDecoder(charset)
  for (const bytes of sequencesOf(charset)) {
    const letter = decoder.decode(Uint8Array.from(bytes))
    const isOne = letter.length === String.fromCodePoint(letter.codePointAt(0) ?? 0).length
    if (!isOne || isAscii(letter) || letter === '\ufffd') continue
    const isSecond = charset === 'big5' && secondOfBig5.has(letter)
    if (isSecond || !table.has(letter)) table.set(letter, bytes.map(written).join(''))
  }
  tables.set(charset, table)
  return table
}

function* sequencesOf(charset: string): Generator<number[]> {
  // A decoder of GB 18030 accepts the byte 0x80, but an encoder never writes it.
  if (charset !== 'gb18030') for (let byte = 0x80; byte <= 0xff; byte++) yield [byte]
  for (let lead = firstLead[charset] ?? 0xff; lead < 0xff; lead++) {
    if (charset === 'shift_jis' && unwritten.has(lead)) continue
    for (let trail = 0x40; trail < 0xff; trail++) yield [lead, trail]
  }
}

/** A second byte may be ASCII, which browsers write as it is. */
const written = (byte: number): string =>
  byte < 0x80 ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase()}`
