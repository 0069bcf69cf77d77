/** Finds the names of people in short texts: bylines, values of meta elements, lines on the page. */

import { wordsIn } from '../likeness-of-words.ts'
import { ending, glued, listing, month, noName, opening, particle, role, within } from './byline-words.ts'

/** Returns the names in a text, which may list several. */
export function namesIn(text: string, isName: (name: string) => boolean): string[] {
  const bare = stripped(text)
  if (bare === '' || /https?:|www\.|^@/.test(bare)) return []
  const parts = bare
    .replace(/,\s*(?:[A-Z][A-Za-z]{0,3}\.?[A-Z]+\.?|Jr\.?|Sr\.?|III?)(?=,|$)/g, '')
    .split(/\s*(?:,|;|&|、|\s(?:[Aa]nd|AND|und|et|y|e|with|mit)\s)\s*/)
  const names: string[] = []
  for (const part of parts) {
    const name = stripped(part)
    const [first] = names
    if (first !== undefined && (role.test(name) || (isFull(first) && !isFull(name)))) break
    if (isName(name)) names.push(name)
    else if (names.length === 0 && name.split(' ').length > maxFirstWords) return []
  }
  return names
}

/**
 * Returns a name with the family name first in its usual order: "Moss, Ada" as "Ada Moss".
 * @param isOnly Whether the value is the only one, which may also list several full names.
 */
export function turned(text: string, isOnly: boolean): string {
  const [family = '', given = '', other] = text.split(',', 3).map(part => part.trim())
  if (other !== undefined || family === '' || given === '' || degree.test(given)) return text
  return isOnly && isFull(family) && isFull(given) ? text : `${given} ${family}`
}

/** Words behind a name that are no given names. */
const degree =
  /^(?:[JS]r|I{2,3}|IV|Esq|M\.?D|Ph\.?D|D\.?Phil|[MB]\.?Sc|M\.?B\.?A|R\.?N|J\.?D|D\.?D\.?S|D\.?V\.?M|M\.?P\.?H)\.?$/i

/** A text that begins with a longer part is a sentence rather than a list of names. */
const maxFirstWords = 5

export function stripped(text: string): string {
  let bare = text
    .slice(0, 200)
    .replace(/[\s\u00a0]+/g, ' ')
    .trim()
  bare = bare.replace(within, '').replace(listing, '')
  for (let round = 0, before = ''; round < 3 && bare !== before; round++) {
    before = bare
    bare = bare.replace(opening, '').replace(glued, '').trim()
  }
  return bare
    .replace(ending, '')
    .replace(/^[\s:：.,]+|[\s,:;]+$/g, '')
    .trim()
}

/** Returns whether a name from machine-readable data is plausible. */
export function isStatedName(name: string): boolean {
  if (name.length < 2 || name.length > 60 || noName.test(name) || month.test(name)) return false
  return name.split(' ').length <= 7 && wordsIn(name).length > 0 && !/^\d+$/.test(name)
}

/** Returns whether a text on the page looks like a name: few words, each with a capital. */
export const isShownName = (name: string): boolean => isCapitalized(name, 5)

/** Returns whether the text of a link to an author is the name rather than a label: "View my complete profile". */
export const isLinkedName = (name: string): boolean =>
  name.split(' ').length < 4 ? isStatedName(name) : isCapitalized(name, 7)

/** Returns whether a text is one word, as names of users are. */
export const isUserName = (name: string): boolean =>
  /^[\p{L}\p{N}][\p{L}\p{N}_./-]{0,28}[\p{L}\p{N}]$/u.test(name) && isStatedName(name) && !role.test(name)

/** Returns whether a text after a label such as "Authors:" looks like a name, which may be of a group. */
export const isLabelledName = (name: string): boolean => isCapitalized(name, 7)

function isCapitalized(name: string, maxWords: number): boolean {
  if (!isStatedName(name) || role.test(name) || /\d{3}|[!?:"“”]|\.\s*$/.test(name)) return false
  const words = name.split(' ')
  if (words.length > maxWords) return false
  if (!latin.test(words[0] ?? '')) return name.length <= 40
  if (words.length > 1 && particle.test(words.at(-1) ?? '')) return false
  const capital = words.filter(word => /^["'(]?\p{Lu}/u.test(word)).length
  return capital > 0 && words.every(word => /^["'(]?\p{Lu}/u.test(word) || particle.test(word))
}

/** Returns whether a name is complete: several words, or a script that needs only one. */
export const isFull = (name: string): boolean => name.includes(' ') || !latin.test(name)

/** Latin letters, and the signs between them, such as apostrophes. */
const latin = /^[\p{Script=Latin}\p{ASCII}\s‘’“”–—]+$/u
