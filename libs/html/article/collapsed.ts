/** Collapses all Unicode white space. A text that needs no change, as most, is returned without a copy. */

/** Replaces each run of white space by one space. */
export const collapsed = (text: string): string => (uneven.test(text) ? text.replace(/\s+/g, ' ') : text)

/**
 * Matches one white-space character other than the space, or two spaces in a row. The pattern lists the characters,
 * because `[^\S ]` takes twice as long.
 */
const uneven = /[\t-\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]| {2}/
