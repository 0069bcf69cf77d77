/** Attributes that hold several words. */

/** The words of an attribute as they are written, in their order. */
export const wordsAsWritten = (value: string | undefined): string[] =>
  value === undefined ? [] : value.split(/[\t\n\f\r ]+/).filter(word => word !== '')
