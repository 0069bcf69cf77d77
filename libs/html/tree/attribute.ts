/** Reads attributes of elements. */
import type { Element } from 'domhandler'

/** Returns the value, the empty string for a name without a value, or null for a missing attribute. */
export const attribute = ({ attribs }: Element, name: string): string | null =>
  Object.hasOwn(attribs, name) ? (attribs[name] ?? null) : null

/** Returns whether a list of words separated by white space (`class`, `rel`, ...) contains a word, ignoring case. */
export const hasWord = (element: Element, name: string, word: string): boolean =>
  wordsOf(element, name).includes(word)

/** Returns the words of such an attribute in lower case. */
export const wordsOf = (element: Element, name: string): string[] =>
  wordsAsWritten(attribute(element, name)?.toLowerCase())

/** Returns the words of the value of such an attribute, as written. */
export const wordsAsWritten = (value: string | undefined): string[] =>
  value === undefined ? [] : value.split(/[\t\n\f\r ]+/).filter(word => word !== '')
