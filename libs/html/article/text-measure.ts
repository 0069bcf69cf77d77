/** Measures text in one pass: the amount of text, in scripts with and without spaces. */
import { kindOf, letter, quartersShift } from '../words.ts'

export type Measure = {
  /** Letters and digits. Those of scripts without spaces count twice. */
  size: number
  /** Words as defined in `words.ts`. In scripts without spaces, two or four characters count as one. */
  words: number
  /** Marks that end or divide sentences. */
  marks: number
}

/** Adds the measures of `text` to `into`. It has no branches, because processors cannot predict the ends of words. */
export function measure(text: string, into: Measure): void {
  let inWord = 0
  let letters = 0
  let words = 0
  let dense = 0
  let quarters = 0
  let found = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const kind = kindOf[unit] as number
    const isLetter = kind & letter
    letters += isLetter
    words += isLetter & ~inWord
    inWord = isLetter | (inWord & (kind >> 1))
    const parts = kind >> quartersShift
    quarters += parts
    dense += (parts | (parts >> 1)) & 1
    found += isMark[unit] as number
  }
  into.size += letters + dense * 2
  into.words += words + quarters / 4
  into.marks += found
}

/** Marks, including ideographic ones and the ellipsis. */
const isMark = new Uint8Array(0x1_0000)
for (const mark of '.,!?;、。…') isMark[mark.charCodeAt(0)] = 1
