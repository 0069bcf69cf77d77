/**
 * Guesses the encoding of a page that declares none and is not UTF-8. The detector is reliable for a paragraph. For a
 * few words it confuses Spanish with Polish and Korean with Russian, so its result is checked by the letters of
 * languages. A page that resembles no other encoding is windows-1252, as in browsers.
 */
import { analyse, type Match } from 'chardet'
import { isMostlyValid, latinCharset, westEuropean, wideCharset } from './charset-letters.ts'

/** The WHATWG encoding by the detector's name. */
const multibyte: Readonly<Record<string, string>> = {
  Shift_JIS: 'shift_jis',
  'EUC-JP': 'euc-jp',
  'EUC-KR': 'euc-kr',
  GB18030: 'gb18030',
  Big5: 'big5',
}
const alphabets: Readonly<Record<string, string>> = {
  'windows-1251': 'windows-1251',
  'ISO-8859-5': 'iso-8859-5',
  'KOI8-R': 'koi8-r',
  'windows-1253': 'windows-1253',
  'ISO-8859-7': 'windows-1253',
  'windows-1255': 'windows-1255',
  'ISO-8859-8': 'windows-1255',
  'windows-1256': 'windows-1256',
  'ISO-8859-6': 'iso-8859-6',
  'windows-874': 'windows-874',
}

/** Bytes of a page that are searched for text, and bytes of the text for the detector. */
const maxSearched = 1024 ** 2
const maxSample = 4096
/** Bytes of context before the first letter that is not ASCII. */
const lead = 512

/** Minimum confidence in hundredths. The detector gives 10 by chance. */
const minConfidence = 11
/** Maximum share of non-ASCII letters in Latin prose. */
const maxLatinShare = 0.75

/** Returns the WHATWG name in lower case. Takes some milliseconds. */
export function guessCharset(bytes: Buffer): string {
  const sample = sampleOf(bytes)
  // No text in any of these encodings has a zero byte.
  if (sample.length === 0 || sample.includes(0)) return westEuropean
  const isLatin = highShare(sample) <= maxLatinShare
  const candidates = analyse(sample)
  const found = isLatin ? null : wideCharset(sample)
  return found ?? foreignCharset(sample, candidates, isLatin) ?? latinCharset(sample, candidates)
}

/** Returns the most likely encoding of a non-Latin text, or null if a Latin one is more likely. */
function foreignCharset(sample: Buffer, candidates: readonly Match[], isLatin: boolean): string | null {
  for (const { name, confidence } of candidates) {
    const charset = multibyte[name] ?? alphabets[name]
    if (charset === undefined && isLatin) return null
    const least = isLatin || name in multibyte ? minConfidence : 1
    if (charset !== undefined && confidence >= least && isMostlyValid(sample, charset)) return charset
  }
  return null
}

/** Returns the text between tags, from shortly before the first byte that is not ASCII. */
function sampleOf(bytes: Buffer): Buffer {
  const text = bytes
    .toString('latin1', 0, maxSearched)
    .replace(/<(script|style)\b.*?(?:<\/\1|$)/gis, ' ')
    .replace(/<!--.*?(?:-->|$)/gs, ' ')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/[\t\n\f\r ]+/g, ' ')
  const first = text.search(/[\x80-\xff]/)
  if (first === -1) return Buffer.alloc(0)
  const from = text.lastIndexOf(' ', Math.max(0, first - lead)) + 1
  return Buffer.from(text.slice(from, from + maxSample), 'latin1')
}

/** Returns the share of non-ASCII letters in words that have any. Isolated signs are not words. */
function highShare(sample: Buffer): number {
  const words = sample.toString('latin1').match(/[a-z\x80-\x9f\xa1-\xff]{2,}/gi) ?? []
  let [letters, high] = [0, 0]
  for (const word of words) {
    const found = word.match(/[^a-z]/gi)?.length ?? 0
    if (found > 0) letters += word.length
    high += found
  }
  return letters === 0 ? 0 : high / letters
}
