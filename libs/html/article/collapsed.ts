/** Collapses white space, of all kinds that Unicode has; most texts have none to collapse, and are not copied. */

/** Any run of white space becomes one space. */
export const collapsed = (text: string): string => (uneven.test(text) ? text.replace(/\s+/g, ' ') : text)

/**
 * The white space of `\s` except the space, and pairs of spaces. Written in full because `[^\S ]` takes twice as long.
 */
const uneven = /[\t-\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]| {2}/
