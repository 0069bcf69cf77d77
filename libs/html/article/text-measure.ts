/** Measures text in one pass: how much there is to read, in scripts with and without spaces. */

export type Measure = {
  /** Letters and digits, those of scripts without spaces counted twice. */
  size: number
  /** Words; two characters of a script without spaces count as one. */
  words: number
  /** Marks that end or part sentences. */
  marks: number
}

/** Adds what `text` holds to `into`. */
export function measure(text: string, into: Measure): void {
  let inWord = false
  let dense = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isDense(code)) {
      dense++
      inWord = false
    } else if (isLetter(code)) {
      into.size++
      if (!inWord) into.words++
      inWord = true
    } else {
      if (isMark(code)) into.marks++
      if (code !== 0x27 && code !== 0x2019 && code !== 0x2d) inWord = false
    }
  }
  into.size += dense * 2
  into.words += Math.ceil(dense / 2)
}

const isLetter = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0xaa && code < 0x2000 && code !== 0xab && code !== 0xbb && code !== 0xb7 && code !== 0xbf) ||
  code >= 0xac00

/** Kana, Chinese characters, Thai: no spaces between words. */
const isDense = (code: number): boolean =>
  (code >= 0x3041 && code <= 0x30ff) || (code >= 0x3400 && code <= 0x9fff) || (code >= 0xe01 && code <= 0xe4e)

const isMark = (code: number): boolean =>
  code === 0x2e || code === 0x2c || code === 0x21 || code === 0x3f || code === 0x3b || otherMarks.has(code)

/** Arabic comma, semicolon, question mark; danda; ideographic and full-width marks; the ellipsis. */
const otherMarks = new Set([
  0x60c, 0x61b, 0x61f, 0x964, 0x3001, 0x3002, 0xff0c, 0xff0e, 0xff01, 0xff1f, 0x2026,
])
