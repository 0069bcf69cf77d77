/** Compares texts without regard to case, punctuation and white space. */

/** Returns the letters and digits of a text in lower case. */
export const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
