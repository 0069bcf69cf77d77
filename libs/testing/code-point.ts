/** Any character, for the texts of property tests. */
import fc from 'fast-check'

const [firstSurrogate, surrogates] = [0xd800, 0x800]

/**
 * One code point that is not a surrogate. It generates the same as `unit: 'binary'` of fast-check, which first spends a
 * second on a table of all of them.
 */
export const codePoint: fc.Arbitrary<string> = fc
  .nat(0x10ffff - surrogates)
  .map(n => String.fromCodePoint(n < firstSurrogate ? n : n + surrogates), numberOf)

/** fast-check mixes in names like `__proto__` if each of their characters has a number. */
function numberOf(text: unknown): number {
  const n = String(text).codePointAt(0) ?? 0
  if (text !== String.fromCodePoint(n) || !text.isWellFormed()) throw new Error('It is not one code point.')
  return n < firstSurrogate ? n : n - surrogates
}
