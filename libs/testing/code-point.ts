/** Any character, for the texts of property tests. */
import fc from 'fast-check'

const [firstSurrogate, surrogates] = [0xd800, 0x800]

/**
 * Generates one code point that is not a surrogate. The result is the same as with `unit: 'binary'` of fast-check,
 * which first builds a table of all code points in a second.
 */
export const codePoint: fc.Arbitrary<string> = fc
  .nat(0x10ffff - surrogates)
  .map(n => String.fromCodePoint(n < firstSurrogate ? n : n + surrogates), numberOf)

/**
 * Returns the number of a code point. fast-check needs it to generate names like `__proto__` from single characters.
 */
function numberOf(text: unknown): number {
  const n = String(text).codePointAt(0) ?? 0
  if (text !== String.fromCodePoint(n) || !text.isWellFormed())
    throw new Error('The text is not one code point.')
  return n < firstSurrogate ? n : n - surrogates
}
