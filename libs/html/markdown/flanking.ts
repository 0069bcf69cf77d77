/** Whether a sign of emphasis counts where it stands: CommonMark 0.31, 6.2, "left-flanking" and "right-flanking". */

const whiteSpace = /^\s?$/u
const punctuation = /^[\p{P}\p{S}]$/u

/** Of nearly all characters the answer stands in a table. */
function asking(pattern: RegExp): (character: string) => boolean {
  const ofAscii = Array.from({ length: 128 }, (_, code) => pattern.test(String.fromCharCode(code)))
  return character =>
    (character.length === 1 ? ofAscii[character.charCodeAt(0)] : undefined) ?? pattern.test(character)
}

export const isPunctuation = asking(punctuation)
export const isWhiteSpace = asking(whiteSpace)

/** Whether the sign between these characters can begin emphasis; the empty string is the edge of the text. */
export const canOpen = (before: string, after: string): boolean =>
  !isWhiteSpace(after) && (!isPunctuation(after) || isWhiteSpace(before) || isPunctuation(before))

/** The same for the end. */
export const canClose = (before: string, after: string): boolean => canOpen(after, before)
