/** Whether a sign of emphasis counts where it stands: CommonMark 0.31, 6.2, "left-flanking" and "right-flanking". */

const whiteSpace = /^\s?$/u
const punctuation = /^[\p{P}\p{S}]$/u

export const isPunctuation = (character: string): boolean => punctuation.test(character)
export const isWhiteSpace = (character: string): boolean => whiteSpace.test(character)

/** Whether the sign between these characters can begin emphasis; the empty string is the edge of the text. */
export const canOpen = (before: string, after: string): boolean =>
  !isWhiteSpace(after) && (!isPunctuation(after) || isWhiteSpace(before) || isPunctuation(before))

/** The same for the end. */
export const canClose = (before: string, after: string): boolean => canOpen(after, before)
