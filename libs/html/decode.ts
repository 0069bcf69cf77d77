/**
 * Decodes the bytes of a page by the encoding sniffing order of the WHATWG HTML standard: byte order mark,
 * Content-Type, `<meta>` in the first 1,024 bytes. The standard then guesses by locale. Instead, valid UTF-8 is
 * UTF-8, a later `<meta>` counts, nearly valid UTF-8 is UTF-8, and the rest is guessed from its letters. Any bytes give a
 * text.
 */
import { isAscii, isUtf8 } from 'node:buffer'
import sniff from 'html-encoding-sniffer'
import { guessCharset } from './guess-charset.ts'

/** `charset` is the WHATWG name in lower case, such as `utf-8`. */
export type Decoded = { html: string; charset: string }

/**
 * Decodes a page.
 * @param contentType The Content-Type header as received, or null.
 */
export function decodeHtml(bytes: Buffer, contentType: string | null): Decoded {
  const declared = charsetOf(contentType)
  const isJson = declared === '' && json.test(contentType ?? '')
  const label = isJson && (isUtf8(bytes) || isNearlyUtf8(bytes)) ? 'utf-8' : declared
  if (/^utf-?8$/i.test(label) && !hasUtf16Mark(bytes)) return { html: utf8(bytes), charset: 'utf-8' }

  const sniffed = sniff(bytes, { transportLayerEncodingLabel: label, defaultEncoding: unknown }).toLowerCase()
  const charset = sniffed !== unknown ? sniffed : isUtf8(bytes) ? 'utf-8' : undeclaredCharset(bytes)
  return charset === 'utf-8' ? { html: utf8(bytes), charset } : { html: decode(bytes, charset), charset }
}

const unknown = 'unknown'
const fallback = 'windows-1252'

/** Maximum bytes of a page that are searched for a `<meta>` if the prescan finds none. */
const maxSearched = 1024 ** 2
const maxCandidates = 20

/** JSON without a charset is UTF-8 (RFC 8259, 8.1). Old servers send it in other encodings, which are guessed. */
const json = /^\s*(?:application\/(?:x-)?(?:nd)?json|text\/json|[^;\s]+\+json)\s*(?:;|$)/i

/**
 * Minimum multibyte characters of UTF-8 for each sequence that is invalid in UTF-8. A page with a stray byte, or that ends
 * within a character, has far more. Texts in other encodings have few by chance: in Chinese, Japanese and Korean ones less
 * than one for three invalid sequences, and in others hardly any.
 */
const minWhole = 8

const undeclaredCharset = (bytes: Buffer): string =>
  lateCharset(bytes) ?? (isNearlyUtf8(bytes) ? 'utf-8' : guessCharset(bytes))

function isNearlyUtf8(bytes: Buffer): boolean {
  let [whole, broken] = [0, 0]
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at++] as number
    if (lead < 0x80) continue
    const end = at + continuationsOf(lead)
    const start = at
    while (at < end && isContinuation(lead, bytes[at], at === start)) at++
    if (at === end && end > start) whole++
    else broken++
  }
  return whole >= broken * minWhole
}

/** Returns the number of bytes that follow in a character of UTF-8. 0: no character starts with this byte. */
function continuationsOf(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 0
  if (lead < 0xe0) return 1
  return lead < 0xf0 ? 2 : 3
}

/** The second byte excludes overlong forms, surrogates, and numbers above U+10FFFF (Unicode, table 3-7). */
function isContinuation(lead: number, byte: number | undefined, isSecond: boolean): boolean {
  if (byte === undefined || byte < 0x80 || byte > 0xbf) return false
  if (!isSecond) return true
  if (lead === 0xe0) return byte >= 0xa0
  if (lead === 0xed) return byte < 0xa0
  if (lead === 0xf0) return byte >= 0x90
  return lead !== 0xf4 || byte < 0x90
}

/**
 * Returns the encoding of a late `<meta>` ("Changing the encoding while parsing", WHATWG HTML, 13.2.3.4). Browsers
 * restart when they find it late.
 */
function lateCharset(bytes: Buffer): string | null {
  const start = bytes.toString('latin1', 0, maxSearched)
  let left = maxCandidates
  for (const { index } of start.matchAll(/<meta\b[^<>]*charset/gi)) {
    const found = sniff(bytes.subarray(index), { defaultEncoding: unknown }).toLowerCase()
    if (found !== unknown) return found
    if (--left === 0) break
  }
  return null
}

/** Returns the label of a Content-Type's charset parameter as written, or the empty string. */
function charsetOf(contentType: string | null): string {
  const match = /;\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i.exec(
    contentType?.slice(0, 1024) ?? '',
  )
  return match === null ? '' : (match[1] ?? match[2] ?? match[3] ?? '').trim()
}

const hasUtf16Mark = (bytes: Buffer): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)

/**
 * Decodes UTF-8. ASCII is decoded as a string of one byte per character, which takes half the memory and is faster to
 * read.
 */
function utf8(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1')
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return bytes.toString('utf8', marked ? 3 : 0)
}

/** Decodes bytes. The few encodings that the platform lacks or rejects (`replacement`) have no readable text. */
function decode(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder(fallback).decode(bytes)
  }
}

/** A tag that ends its element, without quotes that enclose a tag. */
const emptyTag = /<([a-z][^\s<>/"']*)((?:[^<>"']|"[^"<]*"|'[^'<]*')*)\/>/gi
const voidNames = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i

/**
 * Returns a page as HTML, in which no tag ends its own element. Only a page of the type of XHTML has such tags, and the
 * language as `xml:lang`.
 */
export function asHtml(text: string, contentType: string | null): string {
  if (!/^\s*application\/xhtml\+xml\b/i.test(contentType ?? '')) return text
  return text
    .replace(emptyTag, (tag, name: string, rest: string) =>
      voidNames.test(name) ? tag : `<${name}${rest}></${name}>`,
    )
    .replace(/<html\b[^<>]*>/i, tag => (/\slang=/i.test(tag) ? tag : tag.replace(/\sxml:lang=/i, ' lang=')))
}
