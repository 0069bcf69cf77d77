/** Reads attributes with several words. */

/** Returns the words of an attribute in order, in their original case. */
export const wordsAsWritten = (value: string | undefined): string[] =>
  value === undefined ? [] : value.split(/[\t\n\f\r ]+/).filter(word => word !== '')
