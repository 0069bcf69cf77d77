/** Collapses all Unicode white space. Most texts need no change and are not copied. */

/** Replaces each run of white space by one space. */
export const collapsed = (text: string): string => (uneven.test(text) ? text.replace(/\s+/g, ' ') : text)

/**
 * Matches the white space of `\s` without the space, and two spaces. It is written in full, because `[^\S ]` takes
 * twice as long.
 */
const uneven = /[\t-\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]| {2}/
