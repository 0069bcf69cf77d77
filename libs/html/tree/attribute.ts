/** Reading attributes. */
import type { Element } from 'domhandler'

/** The value, the empty string when there is only the name, null when there is not even that. */
export const attribute = ({ attribs }: Element, name: string): string | null =>
  Object.hasOwn(attribs, name) ? (attribs[name] ?? null) : null

/** Whether a list of words separated by white space (`class`, `rel`, ...) has that word, in any case. */
export const hasWord = (element: Element, name: string, word: string): boolean =>
  wordsOf(element, name).includes(word)

/** The words of such an attribute, in lower case. */
export const wordsOf = (element: Element, name: string): string[] =>
  (attribute(element, name) ?? '')
    .toLowerCase()
    .split(/[\t\n\f\r ]+/)
    .filter(Boolean)
