/** Measures text in one pass: how much there is to read, in scripts with and without spaces. */

export type Measure = {
  /** Letters and digits, those of scripts without spaces counted twice. */
  size: number
  /** Words; two characters of a script without spaces count as one. */
  words: number
  /** Marks that end or part sentences. */
  marks: number
}

/** Adds what `text` holds to `into`. Without branches, for no processor can tell where a word ends. */
export function measure(text: string, into: Measure): void {
  let inWord = 0
  let size = 0
  let words = 0
  let dense = 0
  let marks = 0
  for (let at = 0; at < text.length; at++) {
    const kind = kindOf[text.charCodeAt(at)] as number
    const isLetter = kind & 1
    size += isLetter
    words += isLetter & ~inWord
    inWord = isLetter | (inWord & (kind >> 1))
    dense += (kind >> 2) & 1
    marks += kind >> 3
  }
  into.size += size + dense * 2
  into.words += words + Math.ceil(dense / 2)
  into.marks += marks
}

/** What a code unit is, as bits; 0 for what parts words. */
const letter = 1
/** Apostrophe and hyphen part no word. */
const joint = 2
const denseLetter = 4
const mark = 8

const isLetter = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0xaa && code < 0x2000 && code !== 0xab && code !== 0xbb && code !== 0xb7 && code !== 0xbf) ||
  code >= 0xac00

/** Kana, Chinese characters, Thai: no spaces between words. */
const isDense = (code: number): boolean =>
  (code >= 0x3041 && code <= 0x30ff) || (code >= 0x3400 && code <= 0x9fff) || (code >= 0xe01 && code <= 0xe4e)

/** With ideographic marks and the ellipsis. */
const marks = new Set([0x2e, 0x2c, 0x21, 0x3f, 0x3b, 0x3001, 0x3002, 0x2026])

const joints = new Set([0x27, 0x2019, 0x2d])

const kindOf = Uint8Array.from({ length: 0x1_0000 }, (_, code) =>
  isDense(code)
    ? denseLetter
    : isLetter(code)
      ? letter
      : marks.has(code)
        ? mark
        : joints.has(code)
          ? joint
          : 0,
)
