/** How much of a page goes into an entry, and what is said where that is not all. */

/** Of each list. */
export const mostItems = 1_000
/** Of each text. The longest that a site of the list allows has 30,000. */
export const mostCharacters = 32_000

/** Said where there was more of the page than is read. */
export const onlyBeginning = 'only the beginning of the page was read'

/** The text as it is told: cut where it is too long, null where there is none. */
export const shown = (text: string): string | null =>
  text === '' ? null : text.slice(0, mostCharacters).toWellFormed()
