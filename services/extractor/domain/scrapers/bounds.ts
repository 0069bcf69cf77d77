/** Bounds of an entry and of the page that is read. */

/** Maximum length of a list. */
export const maxItems = 1_000
/** Maximum length of a text. The longest that a covered site allows has 30,000 characters. */
export const maxCharacters = 32_000

/** The warning if the page exceeds the read limit. */
export const onlyBeginning = 'only the beginning of the page was read'

/** Truncates a text; null for an empty one. */
export const shown = (text: string): string | null =>
  text === '' ? null : text.slice(0, maxCharacters).toWellFormed()
