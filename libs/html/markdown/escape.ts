/**
 * Escapes characters with a meaning in Markdown (CommonMark 0.31, GFM), and no others: `snake_case`, `2 * 3` and
 * `[1]` are unchanged.
 */

/** The context of a text on its line. */
export type Surroundings = {
  /** The previous character, or the empty string. */
  before: string
  after: string
  inLink: boolean
  /** Returns signs that occur once in their paragraph, so that none can pair with them. Called only at a sign. */
  lone?: () => string
}

const special = /[\\`*_[\]<&~!]/
const specials = /\\|`|\*+|_+|~+|\[|\]|<|&|!/g
const wordCharacter = /[\p{L}\p{N}]/u
const blank = /^\s?$/u
const reference = /^&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/i
const punctuation = /^[!-/:-@[-`{-~]?$/

/** Returns whether a text may need escapes. */
export const isSpecial = (text: string): boolean => special.test(text)

/** Escapes text of a paragraph, except signs that have a meaning only at the start of a line. */
export function escapeText(text: string, around: Surroundings): string {
  if (!isSpecial(text)) return text
  return text.replace(specials, (sign, at: number) => {
    const before = at === 0 ? around.before : lastOf(text.slice(Math.max(0, at - 2), at))
    const end = at + sign.length
    const after = end === text.length ? around.after : firstOf(text.slice(end, end + 2))
    return escapes(sign, before, after, text.slice(at, at + 40), around) ? backslashed(sign) : sign
  })
}

function escapes(sign: string, before: string, after: string, rest: string, around: Surroundings): boolean {
  switch (sign[0]) {
    case '\\':
      return punctuation.test(after)
    case '`':
      return around.lone?.().includes('`') !== true
    case '*':
    case '~':
      return !(blank.test(before) && blank.test(after)) && !isLone(sign, around)
    case '_':
      return !isInert(before, after) && !isLone(sign, around)
    case '[':
      return around.inLink || after === '^'
    case ']':
      return around.inLink || /^[(*]?$/.test(after)
    case '<':
      return /^[a-z/!?*]?$/i.test(after)
    case '&':
      return reference.test(rest)
    default:
      return /^[[*]?$/.test(after)
  }
}

const isLone = (sign: string, { lone }: Surroundings): boolean =>
  sign.length === 1 && lone?.().includes(sign) === true

/** Returns whether an underscore is not emphasis, because it is inside a word or between spaces. */
const isInert = (before: string, after: string): boolean =>
  (wordCharacter.test(before) && wordCharacter.test(after)) || (blank.test(before) && blank.test(after))

const backslashed = (sign: string): string => sign.replace(/./gs, '\\$&')

/** Returns the first character, even if it has two code units. */
export const firstOf = (text: string): string => String.fromCodePoint(text.codePointAt(0) ?? 32)
export function lastOf(text: string): string {
  const pair = text.slice(-2)
  return pair.length === 2 && (pair.codePointAt(0) as number) > 0xffff ? pair : pair.slice(-1)
}

const lineStart =
  /^(?:#{1,6}(?=\s|$)|[+*-](?=\s|$)|>|~~~|-[\s-]*$|([_*])(?:\s*\1){2,}\s*$|\[(?:[^\]\\]|\\.)*\]:)/
const begins = /^[#+*>~_[=|:\s\d-]/
const ordered = /^(\d{1,9})([.)])(?=\s|$)/
const underline = /^(?:=+[ \t]*|[|: \t]*-[|: \t-]*)$/

/** Escapes text that would begin a block. `line` is one line of a paragraph. */
export function escapeLineStart(line: string, isFirst: boolean): string {
  if (!begins.test(line)) return line
  if (lineStart.test(line) || (!isFirst && underline.test(line))) return `\\${line}`
  return line.replace(ordered, '$1\\$2')
}

/** Escapes the closing signs of a heading, which would not be shown. */
export const escapeHeadingEnd = (text: string): string => text.replace(/(^|\s)(#+)$/, '$1\\$2')
