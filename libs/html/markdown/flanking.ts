/**
 * Decides whether a delimiter of emphasis is effective at its position: CommonMark 0.31, 6.2, "left-flanking" and
 * "right-flanking".
 */

const whiteSpace = /^\s?$/u
const punctuation = /^[\p{P}\p{S}]$/u

/** Returns a function that tests characters. ASCII results are in a table, which covers nearly all characters. */
function testerOf(pattern: RegExp): (character: string) => boolean {
  const ofAscii = Array.from({ length: 128 }, (_, code) => pattern.test(String.fromCharCode(code)))
  return character =>
    (character.length === 1 ? ofAscii[character.charCodeAt(0)] : undefined) ?? pattern.test(character)
}

export const isPunctuation = testerOf(punctuation)
export const isWhiteSpace = testerOf(whiteSpace)

/**
 * Returns whether a delimiter between these characters can begin emphasis. The empty string is the edge of the text.
 */
export const canOpen = (before: string, after: string): boolean =>
  !isWhiteSpace(after) && (!isPunctuation(after) || isWhiteSpace(before) || isPunctuation(before))

/** Returns whether a delimiter between these characters can end emphasis. */
export const canClose = (before: string, after: string): boolean => canOpen(after, before)
