/** Removes the values of fields from texts of a page, which may repeat them in its title and its address. */

/** Returns the text with dots instead of each value, as it was entered or as a part of an address. */
export function withoutValues(text: string, values: readonly string[]): string {
  return values
    .flatMap(value => spellingsOf(value.toWellFormed()))
    .filter(spelling => spelling !== '')
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, spelling) => rest.replaceAll(spelling, '•••'), text)
}

/** Returns the forms of a value in titles (white space collapsed) and in addresses (percent-encoded). */
const spellingsOf = (value: string): string[] => [
  value,
  value.trim().replaceAll(/\s+/g, ' '),
  encodeURIComponent(value),
  encodeURI(value),
]
